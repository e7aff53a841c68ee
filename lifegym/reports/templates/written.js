/* Two tabs of an episode: what the agent wrote, and the records before and after. */

/* -- what the agent wrote --------------------------------------------------------------------------------------- */

function writtenTab(episode) {
  if (!episode.deeds) return unknownWorld();
  const own = episode.deeds.filter((deed) => deed.by === "step").flatMap((deed) => deed.changes.map((change) => ({ ...change, step: deed.name, at: deed.at })));
  const files = Object.entries(episode.files).filter(([, versions]) => versions.some((version) => version.by === "step"));
  const notes = episode.pages.filter((page) => page.versions.some((version) => version.by === "step"));
  const part = (title, tables, note) => {
    const found = own.filter((change) => tables.test(change.table));
    return h("section", { class: "card" }, h("h2", {}, title, h("span", { class: "soft" }, ` · ${found.length}`)),
      found.length ? found.map((change) => ownChange(change, episode)) : h("p", { class: "soft" }, note));
  };
  return h("div", {},
    h("section", { class: "card" }, h("h2", {}, "Files", h("span", { class: "soft" }, ` · ${files.length}`)),
      files.length ? files.map(([path, versions]) => fileView(path, versions, episode)) : h("p", { class: "soft" }, "No file was written.")),
    part("Mail", /^email\.(outgoing|drafts)$/, "No mail was sent."),
    part("Calendar", /^calendar\./, "The calendar was left as it was."),
    h("section", { class: "card" }, h("h2", {}, "Notes", h("span", { class: "soft" }, ` · ${notes.length}`)),
      notes.length ? notes.map((page) => fileView(page.title, page.versions, episode)) : h("p", { class: "soft" }, "No note was written.")));
}

function ownChange(change, episode) {
  const mail = change.table === "email.outgoing" && change.how === "added" ? change.record : null;
  if (!mail) return h("div", { class: "own" }, h("div", { class: "small soft" }, when(change.at), " · ", stepLink(change.step, episode)), changeView(change));
  return h("article", { class: "mail" },
    h("header", {}, h("strong", {}, mail.subject || "(no subject)"), h("span", { class: "soft small" }, when(change.at), " · ", stepLink(change.step, episode))),
    h("p", { class: "small soft" }, "to ", [mail.to, mail.cc, mail.bcc].flat().filter(Boolean).join(", ")),
    folded(mail.body || ""));
}

/* A file: its versions as buttons; the text of one, or what it changed of the one before. */
function fileView(path, versions, episode) {
  const panel = h("div", {});
  const show = (number, how) => {
    const version = versions[number], before = number ? versions[number - 1].text : null;
    for (const [i, button] of buttons.entries()) button.setAttribute("aria-pressed", String(i === number));
    for (const button of modes) button.setAttribute("aria-pressed", String(button.dataset.how === how));
    panel.dataset.version = number;
    panel.dataset.how = how;
    panel.replaceChildren(
      h("p", { class: "small soft" }, version.at ? `${when(version.at)} · ` : "", version.by === "step" ? stepLink(version.name, episode) : version.by === "event" ? `event ${version.name}` : version.by === "begin" ? "as it was at the beginning" : "by the clock"),
      version.text === null ? h("p", { class: "soft" }, "Deleted.") : how === "changes" ? diffView(before, version.text) : folded(version.text));
  };
  const buttons = versions.map((version, i) => h("button", { class: "plain small", type: "button", onclick: () => show(i, panel.dataset.how) }, version.by === "begin" ? "beginning" : `v${i + (versions[0].by === "begin" ? 0 : 1)}`));
  const modes = ["text", "changes"].map((how) => h("button", { class: "plain small", type: "button", "data-how": how, onclick: () => show(Number(panel.dataset.version), how) }, how === "text" ? "Text" : "Changes"));
  const fold = h("details", { class: "file" },
    h("summary", {}, h("code", {}, path), h("span", { class: "soft small" }, ` ${count(versions.length, "version")}`)),
    h("div", { class: "controls" }, h("span", { role: "group", "aria-label": "Version" }, buttons), h("span", { role: "group", "aria-label": "Show" }, modes)), panel);
  fold.addEventListener("toggle", () => { if (fold.open && !panel.firstChild) show(versions.length - 1, "text"); });
  return fold;
}

/* -- records before and after ----------------------------------------------------------------------------------- */

const HANDS = { step: "the agent", event: "the timeline", clock: "the clock" };

function recordsTab(episode) {
  if (!episode.records) return unknownWorld();
  const services = [...new Set(episode.records.map((record) => record.table.split(".")[0]))].sort();
  const service = h("select", { "aria-label": "Service" }, h("option", { value: "" }, "All services"), services.map((name) => h("option", { value: name }, words(name))));
  const hand = h("select", { "aria-label": "Changed by" }, h("option", { value: "" }, "Changed by anybody"), Object.entries(HANDS).map(([id, name]) => h("option", { value: id }, `Changed by ${name}`)));
  const search = h("input", { type: "search", placeholder: "Filter records", "aria-label": "Filter records", "data-search": "", "aria-keyshortcuts": "/" });
  const shown = h("span", { class: "soft small", role: "status" }), list = h("div", { class: "card" });
  function draw() {
    const text = search.value.toLowerCase();
    const found = episode.records.filter((record) =>
      (!service.value || record.table.startsWith(`${service.value}.`)) && (!hand.value || record.by.some(([by]) => by === hand.value)) &&
      `${record.table} ${record.id} ${record.label}`.toLowerCase().includes(text));
    shown.textContent = `${found.length} of ${episode.records.length}`;
    list.replaceChildren(...found.map((record) => h("div", { class: "own" }, changeView(record),
      h("div", { class: "small soft" }, "by ", record.by.length ? record.by.slice(0, 12).map(([by, name], i) => [i ? ", " : "", by === "step" ? stepLink(name, episode) : by === "event" ? h("a", { href: address(episode, "story", `event-${name}`) }, `event ${name}`) : "the clock"]) : "nobody"))));
    if (!found.length) list.append(h("p", { class: "empty" }, "No record fits."));
  }
  for (const field of [service, hand, search]) field.addEventListener(field.matches("select") ? "change" : "input", draw);
  draw();
  return h("div", {}, h("p", { class: "soft" }, "The world's records at the end that are not what they were at the beginning."), h("div", { class: "controls" }, search, service, hand, shown), list);
}

const unknownWorld = () => h("p", { class: "card empty" }, "What changed in the world is not known: the task cannot be loaded where this report was made.");
