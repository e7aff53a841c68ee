/* The story of an episode: stages, turns with their calls, what happened silently between them, and what was paid. */

function storyTab(episode) {
  const box = h("div", {});
  const items = storyItems(episode);
  let stage = null;
  for (const item of items) {
    if (item.stage && item.stage !== stage) {
      stage = item.stage;
      box.append(stageHead(episode.stages ? episode.stages.find((other) => other.id === stage) : { id: stage }));
    }
    box.append(item.make());
  }
  const end = (episode.checks || []).filter((check) => check.tier === "cross" || check.tier === "final");
  if (episode.ending) box.append(h("p", { class: "soft ending" }, episode.ending));
  if (end.length) box.append(closing("At the end: cross-stage and final checks", end, episode, "end"));
  return h("div", { class: "story" }, box, episode.stages ? outline(episode, end) : null);
}

/* The stages and what was lost in them, beside the story. */
function outline(episode, end) {
  const line = (id, name, checks) => {
    const lost = checks.filter((check) => !check.passed), passed = checks.length - lost.length;
    return h("li", { class: !checks.length ? null : !lost.length ? "full" : passed ? "part" : "none" },
      h("a", { href: address(episode, "story", id) }, name), h("span"),
      h("span", { class: "count" }, checks.length ? `${passed}/${checks.length}` : ""),
      lost.length ? h("span", { class: "lost" }, lost.map((check) => h("a", { class: "tag fail", href: address(episode, "story", `check-${check.id}`), title: check.what }, check.id))) : null);
  };
  return h("aside", { class: "outline", "aria-label": "Stages and failed checks" }, h("h2", {}, "Stages and failed checks"),
    h("ol", {}, episode.stages.map((stage) => line(`stage-${stage.id}`, stage.id, episode.checks.filter((check) => check.stage === stage.id))),
      end.length ? line("close-end", "end", end) : null));
}

/* Everything in order. At one instant a stage closes first, then the silent things happen, then the turn opens. */
function storyItems(episode) {
  const items = [];
  const add = (at, rank, stage, make) => items.push({ at: Date.parse(at), rank, stage, make, order: items.length });
  for (const [number, turn] of episode.turns.entries()) add(turn.opened, 3, turn.stage, () => turnCard(turn, number, episode));
  for (const event of episode.events || [])
    if (event.fired && event.turn === null) add(event.at, 1, event.stage, () => eventCard(event, episode));
  for (const [number, deed] of (episode.deeds || []).entries())
    if (deed.by === "clock") add(deed.at, 2, null, () => clockCard(deed, number));
  for (const stage of episode.stages || []) {
    const checks = episode.checks.filter((check) => check.stage === stage.id);
    if (checks.length) add(stage.end, 0, null, () => closing(`Stage ${stage.id} closes`, checks, episode, stage.id));
  }
  return items.sort((a, b) => a.at - b.at || a.rank - b.rank || a.order - b.order);
}

function stageHead(stage) {
  return h("h2", { class: "stage-head", id: `stage-${stage.id}`, tabindex: -1 }, `Stage ${stage.id}`,
    stage.start ? h("span", { class: "soft small" }, ` ${when(stage.start)} – ${when(stage.end)}`) : null);
}

function closing(title, checks, episode, id) {
  const passed = checks.filter((check) => check.passed), sum = (list) => list.reduce((total, check) => total + check.weight, 0);
  return h("section", { class: "closing", id: `close-${id}`, tabindex: -1 },
    h("h3", {}, title, " ", h("span", { class: passed.length === checks.length ? "tag pass" : passed.length ? "tag warn" : "tag fail" },
      `${passed.length} of ${checks.length} checks, ${sum(passed)} of ${sum(checks)} points of weight`)),
    checks.map((check) => checkView(check, episode)));
}

/* -- what happened without a turn ------------------------------------------------------------------------------- */

function eventCard(event, episode) {
  const silent = event.kind === "mutation";
  const deeds = (episode.deeds || []).filter((deed) => deed.by === "event" && deed.name === event.id);
  return h("article", { class: `event kind-${event.kind}`, id: `event-${event.id}`, tabindex: -1, "data-event": "", "data-mutation": silent ? "" : null },
    h("header", {}, kindName(event.kind, silent ? "silent mutation" : words(event.kind)), h("time", {}, when(event.at)), h("span", { class: "mono soft" }, event.id),
      event.held ? null : h("span", { class: "tag warn" }, "its condition did not hold"),
      silent ? h("span", { class: "soft small" }, "The agent is not told.") : h("span", { class: "soft small" }, "No turn opened.")),
    event.does.length ? h("p", { class: "small soft" }, event.does.join(", ")) : null,
    event.when ? h("p", { class: "small soft" }, "when ", h("code", {}, event.when)) : null,
    deeds.flatMap((deed) => deed.changes.map((change) => changeView(change, true))),
    deeds.length ? null : h("p", { class: "small soft" }, "No record changed."));
}

function clockCard(deed) {
  return h("details", { class: "clock" },
    h("summary", {}, h("time", {}, when(deed.at)), ` Time passed: ${count(deed.changes.length, "record")} changed `,
      h("span", { class: "soft" }, [...new Set(deed.changes.map((change) => change.table))].slice(0, 4).join(", "))),
    deed.changes.map((change) => changeView(change)));
}

const kindName = (kind, name) => h("span", { class: `kind kind-${kind}` }, s("svg", { width: 14, height: 14, "aria-hidden": "true" }, mark(kind, 7, 7)), name);

/* -- a turn ----------------------------------------------------------------------------------------------------- */

function turnCard(turn, number, episode) {
  const calls = turn.steps.map((n) => episode.steps[n - 1]), kind = LANES.some(([name]) => name === turn.kind) ? turn.kind : "agent";
  const last = calls[calls.length - 1], ended = last && last.ends ? last : null;
  const acts = ended ? calls.slice(0, -1) : calls;
  const reward = calls.reduce((sum, step) => sum + step.reward, 0) * 100;
  const card = h("article", { class: `turn kind-${kind}`, id: `turn-${number + 1}`, tabindex: -1, "data-turn": "", "data-event": turn.events.length ? "" : null },
    turn.events.map((id) => h("span", { id: `event-${id}` })),
    h("header", {}, kindName(kind, words(turn.kind)), h("time", {}, when(turn.opened)),
      h("span", { class: "mono soft" }, `turn ${number + 1}`, turn.events.length ? ` · ${turn.events.join(", ")}` : ""),
      acts.length ? h("span", { class: "soft" }, count(acts.length, "call")) : null,
      reward > 0.005 ? h("span", { class: "tag pass" }, `+${reward.toFixed(2)} paid`) : null),
    h("div", { class: "opening" }, folded(turn.text, {}, 9)),
    eventDeeds(turn, episode),
    acts.length ? h("ol", { class: "steps" }, acts.map((step) => stepView(step, episode))) : null,
    ended ? endView(ended, episode) : h("p", { class: "soft" }, "The episode was cut off here."));
  return card;
}

function eventDeeds(turn, episode) {
  const changes = (episode.deeds || []).filter((deed) => deed.by === "event" && turn.events.includes(deed.name)).flatMap((deed) => deed.changes);
  if (!changes.length) return null;
  return h("details", { class: "clock" }, h("summary", {}, `With this ${count(changes.length, "record")} changed`), changes.map((change) => changeView(change)));
}

function endView(step, episode) {
  const reply = step.tool === "assistant.reply";
  return h("div", { class: reply ? "reply" : "silence", id: `step-${step.n}`, tabindex: -1 },
    h("div", { class: "small soft" }, h("span", { class: "step-number" }, step.n), reply ? " Reply to the user" : " Silence: the turn ended without a word", badges(step, episode)),
    reply && step.arguments && typeof step.arguments.text === "string" ? folded(step.arguments.text) : null);
}

/* Checks that a step earned, lost or tripped. */
function badges(step, episode) {
  return (episode.checks || []).filter((check) => check.point && check.point.by === "step" && check.point.step === step.n).map((check) =>
    h("a", { class: check.point.how === "earned" ? "tag pass" : "tag fail", href: address(episode, "checks", `check-${check.id}`), title: check.what },
      check.point.how === "earned" ? `+${check.id}` : `−${check.id}`));
}

function brief(value) {
  if (value === null || typeof value !== "object") return short(value, 120);
  return short(Object.entries(value).map(([name, part]) => `${name}: ${short(part, 60)}`).join(", "), 150);
}

function stepView(step, episode) {
  const fold = h("details", { class: `step${step.write ? " write" : ""}${step.code ? " refused" : ""}`, id: `step-${step.n}`, tabindex: -1 },
    h("summary", {}, h("span", { class: "step-number" }, step.n), h("code", { class: "tool" }, step.tool),
      h("span", { class: "brief soft" }, brief(step.arguments)),
      step.code ? h("span", { class: "tag fail" }, step.code) : null, badges(step, episode)));
  fold.addEventListener("toggle", () => {
    if (fold.dataset.filled || !fold.open) return;
    fold.dataset.filled = "yes";
    const result = parsed(step.text), deeds = (episode.deeds || []).filter((deed) => deed.by === "step" && deed.name === step.n);
    fold.append(h("div", { class: "step-body" },
      h("div", {}, h("h4", {}, "Arguments"), folded(readable(step.arguments))),
      h("div", {}, h("h4", {}, step.code ? "Refused" : "Result"), folded(result === undefined ? step.text : readable(result))),
      deeds.length ? h("div", {}, h("h4", {}, "What it changed"), deeds.flatMap((deed) => deed.changes.map((change) => stepChange(change, step, episode)))) : null));
  });
  return h("li", {}, fold);
}

/* A change that a step made; of a file the difference to the version before. */
function stepChange(change, step, episode) {
  if (change.table !== "file") return changeView(change, true);
  const versions = episode.files[change.id], at = versions.findIndex((version) => version.by === "step" && version.name === step.n);
  return h("div", {}, changeView(change), diffView(at > 0 ? versions[at - 1].text : null, versions[at].text));
}
