/* The weeks of a task as a drawing: days, stages, and a lane for each kind of event, each kind with its own mark. */

const LANES = [
  ["user_message", "user"], ["notification", "notification"], ["world", "world"], ["mutation", "silent"], ["agent", "agent's own"],
];

function mark(kind, x, y) {
  if (kind === "user_message") return s("circle", { cx: x, cy: y, r: 5 });
  if (kind === "notification") return s("rect", { x: x - 4.5, y: y - 4.5, width: 9, height: 9, rx: 1.5 });
  if (kind === "world") return s("path", { d: `M${x} ${y - 6}l5.5 10.5h-11z` });
  if (kind === "mutation") return s("path", { d: `M${x} ${y - 6}l6 6l-6 6l-6 -6z`, class: "hollow" });
  return s("path", { d: `M${x - 5} ${y}h10M${x} ${y - 5}v10`, class: "cross" });
}

/* data: {begin, end, zone, stages: [{id, start, end, passed?, checks?}], events: [{id, kind, at, title?, href?, fired?}]} */
function timeline(data, width) {
  const left = 84, right = 10, top = 26, lane = 22;
  const from = Date.parse(`${data.begin}T00:00:00${data.end.slice(19) || "Z"}`), to = Date.parse(data.end);
  const inner = Math.max(560, width) - left - right;
  const at = (stamp) => left + (inner * (Math.min(to, Math.max(from, Date.parse(stamp))) - from)) / (to - from || 1);
  const lanes = LANES.filter(([kind]) => kind !== "agent" || data.events.some((event) => event.kind === "agent"));
  const height = top + 34 + lanes.length * lane + 6;
  const kinds = lanes.map(([kind, name]) => `${data.events.filter((event) => event.kind === kind).length} ${name}`).join(", ");
  const drawing = s("svg", {
    class: "timeline", width: inner + left + right, height, role: "img",
    "aria-label": `${data.stages.length} stages from ${data.begin} to ${data.end.slice(0, 10)}; events: ${kinds}`,
  });

  const days = Math.round((to - from) / 864e5);
  for (let day = 0; day <= days; day++) {
    const date = new Date(Date.parse(`${data.begin}T12:00:00Z`) + day * 864e5);
    const x = left + (inner * day) / days, monday = date.getUTCDay() === 1;
    drawing.append(s("line", { class: monday ? "week" : "day", x1: x, x2: x, y1: monday ? 4 : top - 4, y2: height - 4 }));
    if (monday && x < inner + left - 30) drawing.append(s("text", { x: x + 4, y: 15 }, `Mon ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`));
  }
  for (const stage of data.stages) {
    const x = at(stage.start), size = Math.max(1, at(stage.end) - x);
    const known = stage.checks !== undefined, share = known ? stage.passed / stage.checks : 0;
    const box = s("a", { href: stage.href || null, tabindex: -1, class: "stage" },
      s("rect", { x: x + 0.5, y: top, width: Math.max(1, size - 1), height: 22, rx: 3, class: known ? (share === 1 ? "full" : share === 0 ? "none" : "part") : "plain" }),
      s("title", {}, `${stage.id}, ${when(stage.start)} to ${when(stage.end)}${known ? `: ${stage.passed} of ${stage.checks} checks passed` : ""}`));
    if (size > 8 * stage.id.length + 4) box.append(s("text", { x: x + size / 2, y: top + 15, "text-anchor": "middle" }, stage.id));
    drawing.append(box);
  }
  lanes.forEach(([kind, name], row) => {
    const y = top + 34 + row * lane + lane / 2 - 2;
    drawing.append(
      s("text", { class: `lane-name kind-${kind}`, x: left - 8, y: y + 4, "text-anchor": "end" }, name),
      s("line", { class: "lane", x1: left, x2: left + inner, y1: y, y2: y }));
    for (const event of data.events.filter((item) => item.kind === kind)) {
      const title = event.title || `${event.id} · ${words(kind)} · ${when(event.at)}`;
      drawing.append(s("a", { href: event.href || null, tabindex: -1, class: `mark kind-${kind}${event.fired === false ? " missing" : ""}`, "data-mark": event.id },
        mark(kind, at(event.at), y), s("title", {}, title)));
    }
  });
  return drawing;
}

/* A drawing that is as wide as its place, and drawn again when that changes. */
function drawTimeline(place, data) {
  const draw = () => place.replaceChildren(timeline(data, place.clientWidth));
  place.classList.add("timeline-box");
  place.tabIndex = 0;
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", "Timeline");
  draw();
  let width = place.clientWidth;
  new ResizeObserver(() => {
    if (Math.abs(place.clientWidth - width) > 2) { width = place.clientWidth; draw(); }
  }).observe(place);
}
