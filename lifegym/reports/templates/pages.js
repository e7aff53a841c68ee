/* Addresses (#/task/x), navigation and keys. */

const INDEX = JSON.parse(document.getElementById("index").textContent);
const sections = Object.fromEntries([...document.querySelectorAll("[data-page]")].map((section) => [section.dataset.page, section]));
const say = (text) => { document.getElementById("status").textContent = text; };
let page = "overview";

function show(name) {
  page = name;
  for (const [id, section] of Object.entries(sections)) section.hidden = id !== name;
  for (const link of document.querySelectorAll("[data-nav]")) {
    if (link.dataset.nav === name) { link.setAttribute("aria-current", "page"); link.hidden = false; } else link.removeAttribute("aria-current");
    if (link.hidden === false && link.dataset.nav === name && (name === "task" || name === "episode")) link.href = location.hash;
  }
}

function showTask(id) {
  const section = sections.task, template = [...document.querySelectorAll("template[data-task]")].find((other) => other.dataset.task === id);
  if (section.dataset.shown !== id) {
    section.dataset.shown = id;
    section.replaceChildren(template ? template.content.cloneNode(true) : h("p", { class: "note" }, `There is no task ${id} in this run. `, h("a", { href: "#/tasks" }, "All tasks")));
    show("task");
    prepareTables(section);
    for (const place of section.querySelectorAll("[data-timeline]")) drawTimeline(place, JSON.parse(place.dataset.timeline));
  } else show("task");
  document.title = `${INDEX.titles[id] || id} · lifegym report`;
}

async function showEpisodePage(name, tab, target) {
  const section = sections.episode;
  show("episode");
  if (section.dataset.shown !== name) section.replaceChildren(h("p", { class: "empty", role: "status" }, "Loading …"));
  try {
    const episode = await loadEpisode(name);
    if (last !== `episode/${name}`) return;  // somebody went on meanwhile
    document.title = `${episode.task} run ${episode.run} · lifegym report`;
    showEpisode(section, episode, tab, target);
  } catch (error) {
    delete section.dataset.shown;
    section.replaceChildren(h("p", { class: "note fail", role: "alert" }, `This episode cannot be shown: ${error.message}`));
  }
}

let last = null;  // the page before; null at first

function route() {
  if (location.hash && !location.hash.startsWith("#/")) return;  // a place on this page
  let parts;
  try { parts = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent); } catch { parts = [""]; }
  const [name, ...rest] = parts, place = rest.slice(0, 2).join("/");
  if (`${name}/${place}` !== last) {
    window.scrollTo(0, 0);
    if (last !== null) document.getElementById("main").focus({ preventScroll: true });  // what had the focus may be gone
  }
  last = `${name}/${place}`;
  if (name === "task") showTask(rest.join("/"));
  else if (name === "episode") {
    // Task pages link a check: #/episode/task/run/C5 shows it among the checks.
    const [tab, target] = rest.length === 3 && !TABS.some(([id]) => id === rest[2]) ? ["checks", `check-${rest[2]}`] : [rest[2], rest[3]];
    showEpisodePage(rest.slice(0, 2).join("/"), tab, target);
  } else {
    show(sections[name] && name !== "task" ? name : "overview");
    document.title = `${page[0].toUpperCase()}${page.slice(1)} · lifegym report`;
  }
}

/* -- keys ------------------------------------------------------------------------------------------------------- */

/* Where one is in a list of places: the last one that begins above the middle of what is seen. */
function jump(selector, step, noun) {
  const places = [...sections.episode.querySelectorAll(selector)];
  if (!places.length) return say(`There is no ${noun} here.`);
  const here = document.querySelector(".here"), at = places.indexOf(here);
  let next;
  if (at >= 0) next = at + step;
  else {
    const line = here && sections.episode.contains(here) ? here : null;
    const after = places.findIndex((place) => (line ? line.compareDocumentPosition(place) & Node.DOCUMENT_POSITION_FOLLOWING : place.getBoundingClientRect().top > 80));
    next = step > 0 ? (after < 0 ? places.length : after) : (after < 0 ? places.length : after) - 1;
  }
  if (next < 0 || next >= places.length) return say(`No further ${noun}.`);
  goTo(places[next]);
  say(`${noun} ${next + 1} of ${places.length}`);
}

function foldAll() {
  const here = document.querySelector(".here") || document.activeElement, card = here.closest("article.turn, .closing, .card") || sections.episode.querySelector("article.turn");
  if (!card) return;
  const folds = [...card.querySelectorAll("details")], open = folds.some((fold) => !fold.open);
  for (const fold of folds) fold.open = open;
}

function neighbour(step) {
  const at = INDEX.episodes.findIndex(([name]) => name === sections.episode.dataset.shown), target = INDEX.episodes[at + step];
  if (at >= 0 && target) location.hash = `#/episode/${target[0]}`;
  else say("There is no further episode.");
}

function tab(name) {
  const link = sections.episode.querySelector(`[data-tab="${name}"]`);
  if (link) link.click();
}

const KEYS = {
  1: () => { location.hash = "#/"; }, 2: () => { location.hash = "#/analysis"; }, 3: () => { location.hash = "#/tasks"; },
  "?": () => document.getElementById("keys").showModal(),
  "/": () => { const field = sections[page].querySelector("[data-search]"); if (field) field.focus(); },
  u: () => { const crumbs = sections[page].querySelectorAll(".crumbs a[href^='#/task']"); if (crumbs.length) crumbs[page === "episode" ? 1 : 0].click(); },
};
const EPISODE_KEYS = {
  "[": () => neighbour(-1), "]": () => neighbour(1), s: () => tab("story"), c: () => tab("checks"), w: () => tab("written"), r: () => tab("records"),
  j: () => jump("[data-turn]", 1, "turn"), k: () => jump("[data-turn]", -1, "turn"),
  e: () => jump("[data-event]", 1, "event"), E: () => jump("[data-event]", -1, "event"),
  m: () => jump("[data-mutation]", 1, "silent mutation"), M: () => jump("[data-mutation]", -1, "silent mutation"),
  f: () => jump(".check.failed", 1, "failed check"), F: () => jump(".check.failed", -1, "failed check"),
  x: foldAll,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, select, textarea")) { if (event.key === "Escape") event.target.blur(); return; }
  const action = (page === "episode" && EPISODE_KEYS[event.key]) || KEYS[event.key];
  if (action) { event.preventDefault(); action(); }
});
document.getElementById("keys-button").addEventListener("click", KEYS["?"]);
window.addEventListener("hashchange", route);
prepareTables(sections.tasks);
route();
