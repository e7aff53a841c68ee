/* Checks: what each read, expected and found, and what earned or lost it. */

const HOW = {
  earned: "Earned", lost: "Lost", tripped: "Rule broken", never: "Never held", always: "Held from the beginning", time: "Decided by time alone",
};

function pointView(check, episode) {
  const point = check.point;
  if (!point) return null;
  if (!point.by) return h("span", {}, HOW[point.how]);
  const step = point.step;
  if (point.by === "step") return h("span", {}, `${HOW[point.how]} by `, stepLink(step, episode));
  if (!step) return h("span", {}, `${HOW[point.how]} before the first turn`);
  return h("span", {}, `${HOW[point.how]} by what happened after `, stepLink(step, episode));
}

function stepLink(number, episode) {
  const step = episode.steps[number - 1];
  return h("a", { href: address(episode, "story", `step-${number}`) }, `step ${number}`, step ? ` ${step.tool}` : "");
}

function clauseView(clause) {
  const sides = Object.entries(clause.sides || {});
  return h("li", {},
    h("div", {}, h("span", { class: "tag" }, clause.kind), " ", h("code", {}, clause.clause)),
    "missing" in clause
      ? h("div", { class: "value fail-text" }, "not to be had: ", clause.missing)
      : h("div", { class: "value" }, "gives ", h("span", { class: clause.kind !== "let" ? verdictClass(clause) : "" }, short(clause.value, 600))),
    sides.map(([source, value]) => h("div", { class: "value" }, h("code", {}, source), " is ", h("span", {}, short(value, 600)))));
}

/* The clauses, and folded below them the names that they use. */
function clausesView(clauses) {
  const lets = clauses.filter((clause) => clause.kind === "let"), others = clauses.filter((clause) => clause.kind !== "let");
  return [
    others.length ? h("ul", { class: "clauses" }, others.map(clauseView)) : null,
    lets.length ? h("details", { class: "lets" }, h("summary", { class: "soft" }, `${count(lets.length, "name")} used in them`), h("ul", { class: "clauses" }, lets.map(clauseView))) : null,
  ];
}

function verdictClass(clause) {
  const held = Array.isArray(clause.value) ? clause.value.length > 0 : Boolean(clause.value);
  return held === (clause.kind === "never") ? "fail-text" : "pass-text";
}

/* One check as a fold: the line that says how it went, and inside what it looked at. */
function checkView(check, episode) {
  const known = check.clauses !== undefined;
  const summary = h("summary", {},
    h("span", { class: check.passed ? "verdict pass-text" : "verdict fail-text" }, check.passed ? "✓" : "✗", h("span", { class: "visually-hidden" }, check.passed ? " passed" : " failed")),
    h("span", { class: "check-id mono" }, check.id),
    h("span", { class: "check-what" }, check.what || ""),
    known ? h("span", { class: "check-facts soft small" }, `${check.axis} · ${check.weight}`) : null);
  const fold = h("details", { class: check.passed ? "check" : "check failed", id: `check-${check.id}`, tabindex: -1 }, summary);
  if (!known) return fold;
  fold.addEventListener("toggle", () => {
    if (fold.dataset.filled || !fold.open) return;
    fold.dataset.filled = "yes";
    fold.append(h("div", { class: "check-body" },
      h("p", {}, pointView(check, episode), check.at ? h("span", { class: "soft" }, ` · looked at ${when(check.at)}`) : null,
        check.paid ? [h("span", { class: "soft" }, check.passed ? " · paid at the end of " : " · settled at the end of "), stepLink(check.paid, episode)] : null),
      check.reason ? h("p", { class: "reason" }, h("strong", {}, "Failed because of "), h("code", {}, check.reason)) : null,
      clausesView(check.clauses)));
  });
  return fold;
}

const TIERS = [["stage", "Stage checks"], ["cross", "Cross-stage checks"], ["final", "Final checks"]];

function checksTab(episode) {
  const list = h("div", {});
  const shown = h("span", { class: "soft small", role: "status" });
  const search = h("input", { type: "search", placeholder: "Filter checks", "aria-label": "Filter checks", "data-search": "", "aria-keyshortcuts": "/" });
  const result = h("select", { "aria-label": "Result" }, h("option", { value: "" }, "Passed or failed"), h("option", { value: "failed" }, "Failed"), h("option", { value: "passed" }, "Passed"));
  const stages = (episode.stages || []).map((stage) => stage.id);
  const place = (check) => (check.stage ? stages.indexOf(check.stage) : stages.length);
  function draw() {
    const text = search.value.toLowerCase();
    const fits = (check) =>
      (!result.value || (result.value === "passed") === check.passed) &&
      `${check.id} ${check.what || ""} ${check.axis || ""} ${check.stage || ""}`.toLowerCase().includes(text);
    const found = episode.checks.filter(fits).sort((a, b) => place(a) - place(b));  // a bundle may list them otherwise
    shown.textContent = `${found.length} of ${episode.checks.length}`;
    const groups = episode.checks.some((check) => check.tier)
      ? TIERS.map(([tier, title]) => [title, found.filter((check) => check.tier === tier)]) : [["Checks", found]];
    list.replaceChildren(...groups.filter(([, checks]) => checks.length).map(([title, checks]) => {
      const passed = checks.filter((check) => check.passed).length;
      return h("section", { class: "card" }, h("h2", {}, title, h("span", { class: "soft" }, ` · ${passed} of ${checks.length} passed`)),
        checks.map((check, i) => [
          check.stage && check.stage !== (checks[i - 1] || {}).stage ? h("h3", { class: "soft" }, check.stage) : null, checkView(check, episode)]));
    }));
    if (!found.length) list.append(h("p", { class: "empty" }, "No check fits."));
  }
  search.addEventListener("input", draw);
  result.addEventListener("change", draw);
  draw();
  return h("div", {}, h("div", { class: "controls" }, search, result, shown), list);
}
