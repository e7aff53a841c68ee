/* The page of an episode: head, timeline, and four tabs. Its data comes from a file of its own. */

const TABS = [["story", "Story", "s"], ["checks", "Checks", "c"], ["written", "Written", "w"], ["records", "Records", "r"]];
const episodes = new Map();  // name -> what was loaded
const waiting = new Map();   // name -> {resolve, reject}

/* Called by an episode's file. */
function lifegymEpisode(name, packed) {
  const wanted = waiting.get(name);
  if (!wanted) return;
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  new Response(plain).json().then(wanted.resolve, wanted.reject);
}

function loadEpisode(name) {
  if (!episodes.has(name)) {
    const loading = new Promise((resolve, reject) => {
      waiting.set(name, { resolve, reject });
      const script = h("script", { src: `${INDEX.files}/${name.split("/").map(encodeURIComponent).join("/")}.js` });
      script.addEventListener("error", () => reject(new Error(`${INDEX.files}/${name}.js is not beside this page. Keep the folder ${INDEX.files} where the page is, or make the report again.`)));
      document.head.append(script);
    });
    loading.catch(() => episodes.delete(name));
    episodes.set(name, loading);
  }
  return episodes.get(name);
}

const nameOf = (episode) => `${episode.task}/${episode.variant}-${episode.seed}-${episode.run}`;
const address = (episode, ...rest) => `#/episode/${[...nameOf(episode).split("/"), ...rest].map(encodeURIComponent).join("/")}`;

function episodeHead(episode) {
  const row = episode.row, usage = row.usage || {};
  const told = [usage.input_tokens, usage.output_tokens].filter((value) => typeof value === "number");
  const tokens = told.length ? told.reduce((sum, value) => sum + value, 0) : null;
  const passed = episode.checks.filter((check) => check.passed).length;
  const figure = (name, value, small) => h("div", {}, h("dt", {}, name), h("dd", {}, value, small ? h("small", {}, ` ${small}`) : null));
  const order = INDEX.episodes.findIndex(([name]) => name === nameOf(episode));
  const other = (step, text, key) => {
    const target = INDEX.episodes[order + step];
    return target ? h("a", { class: "button small", href: `#/episode/${target[0]}`, "aria-keyshortcuts": key }, text) : null;
  };
  return [
    h("div", { class: "crumbs" }, h("a", { href: "#/tasks" }, "Tasks"), " › ", h("a", { href: `#/task/${encodeURIComponent(episode.task)}` }, INDEX.titles[episode.task] || episode.task),
      h("span", { class: "between" }, other(-1, "‹ previous", "["), " ", other(1, "next ›", "]"))),
    h("h1", {}, `Run ${episode.run}`, h("span", { class: "soft" }, ` · ${episode.variant}${episode.variant === "canonical" ? "" : ` ${episode.seed}`} · ${episode.agent}`)),
    episode.notes.map((note) => h("p", { class: "note", role: "note" }, note)),
    row.error ? h("p", { class: "note fail", role: "note" }, `No score: ${row.error}`) : null,
    h("dl", { class: "card figures", "aria-label": "Result" },
      figure("score", points(row.score)), figure("checks passed", passed, `of ${episode.checks.length}`),
      figure("turns", thousands(episode.turns.length)), figure("calls", thousands(row.calls)), figure("refused", thousands(row.refused)),
      figure("tokens", thousands(tokens)), figure("cost", typeof usage.cost_usd === "number" ? `$${usage.cost_usd.toFixed(3)}` : "–")),
  ];
}

function episodeTimeline(episode) {
  if (!episode.stages) return null;
  const link = (id) => address(episode, "story", id);
  const own = episode.turns.map((turn, i) => [turn, i]).filter(([turn]) => !turn.events.length)
    .map(([turn, i]) => ({ id: `turn ${i + 1}`, kind: "agent", at: turn.opened, href: link(`turn-${i + 1}`), title: `${turn.kind} · ${when(turn.opened)}` }));
  const events = episode.events.map((event) => ({
    ...event, href: event.fired ? link(`event-${event.id}`) : null,
    title: `${event.id} · ${event.kind === "mutation" ? "silent mutation" : words(event.kind)} · ${when(event.at)}${event.fired ? "" : " · did not happen"}${event.held ? "" : " · its condition did not hold"}`,
  }));
  const stages = episode.stages.map((stage) => ({ ...stage, href: link(stage.checks ? `close-${stage.id}` : `stage-${stage.id}`) }));
  const place = h("div", {});
  const card = h("div", { class: "card" }, place,
    h("p", { class: "legend small soft" }, h("span", { class: "swatch full" }), "stage passed ", h("span", { class: "swatch part" }), "in part ", h("span", { class: "swatch none" }), "failed ", h("span", { class: "swatch" }), "no checks · marks open their place in the story"));
  requestAnimationFrame(() => drawTimeline(place, { begin: episode.begin, end: episode.end, zone: episode.zone, stages, events: [...events, ...own] }));
  return card;
}

/* Fill the page; tab and target are the last parts of the address. */
function showEpisode(section, episode, tab, target) {
  const chosen = TABS.some(([id]) => id === tab) ? tab : "story";
  if (section.dataset.shown !== nameOf(episode)) {
    section.dataset.shown = nameOf(episode);
    section.tabs = {};
    section.replaceChildren(...episodeHead(episode).flat().filter(Boolean), episodeTimeline(episode) || "",
      h("nav", { class: "tabs", "aria-label": "Parts of the episode" }, TABS.map(([id, title, key]) =>
        h("a", { href: address(episode, id), "data-tab": id, "aria-keyshortcuts": key }, title))),
      h("div", { "data-panel": "" }));
  }
  const make = { story: storyTab, checks: checksTab, written: writtenTab, records: recordsTab };
  section.tabs[chosen] = section.tabs[chosen] || make[chosen](episode);
  const panel = section.querySelector("[data-panel]");
  if (panel.firstChild !== section.tabs[chosen]) panel.replaceChildren(section.tabs[chosen]);
  for (const link of section.querySelectorAll("[data-tab]"))
    if (link.dataset.tab === chosen) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  if (target) goTo(panel.querySelector(`#${CSS.escape(target)}`));
}

/* Open what holds a place, and bring it into view and into focus. */
function goTo(place) {
  if (!place) return false;
  for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  const target = place.matches("span") ? place.closest("article") : place;
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "start" });
  for (const other of document.querySelectorAll(".here")) other.classList.remove("here");
  target.classList.add("here");
  return true;
}
