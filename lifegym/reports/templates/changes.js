/* What changed: lines of a file, fields of a record. */

/* The lines of two texts as [sign, line] with sign " ", "-" or "+": the shortest edit, found from both ends inwards. */
function lineDiff(before, after) {
  const a = before === null ? [] : before.split("\n"), b = after === null ? [] : after.split("\n");
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const olds = a.slice(head, a.length - tail), news = b.slice(head, b.length - tail);
  const middle = [];
  if (olds.length * news.length > 1000000) middle.push(...olds.map((line) => ["-", line]), ...news.map((line) => ["+", line]));
  else {
    const width = news.length + 1, best = new Uint32Array((olds.length + 1) * width);
    for (let i = olds.length - 1; i >= 0; i--)
      for (let j = news.length - 1; j >= 0; j--)
        best[i * width + j] = olds[i] === news[j] ? best[(i + 1) * width + j + 1] + 1 : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    let i = 0, j = 0;
    while (i < olds.length || j < news.length) {
      if (i < olds.length && j < news.length && olds[i] === news[j]) { middle.push([" ", olds[i]]); i++; j++; }
      else if (j >= news.length || (i < olds.length && best[(i + 1) * width + j] >= best[i * width + j + 1])) middle.push(["-", olds[i++]]);
      else middle.push(["+", news[j++]]);
    }
  }
  return [...a.slice(0, head).map((line) => [" ", line]), ...middle, ...a.slice(a.length - tail).map((line) => [" ", line])];
}

/* A difference with three lines of context around what changed. */
function diffView(before, after) {
  const lines = lineDiff(before, after), near = new Set();
  lines.forEach(([sign], i) => { if (sign !== " ") for (let k = i - 3; k <= i + 3; k++) near.add(k); });
  if (!near.size) return h("p", { class: "soft small" }, "The text is the same.");
  const box = h("div", { class: "diff", role: "group", "aria-label": "Difference" });
  let gap = false, shown = 0;
  for (const [i, [sign, line]] of lines.entries()) {
    if (!near.has(i)) { gap = true; continue; }
    if (gap && shown) box.append(h("div", { class: "gap" }, "⋯"));
    gap = false;
    if (++shown > 600) { box.append(h("div", { class: "gap" }, "⋯ and more")); break; }
    const kind = sign === "+" ? "ins" : sign === "-" ? "del" : "span";
    box.append(h(kind, { class: "line", dir: "auto" }, h("b", { "aria-hidden": "true" }, sign), line.slice(0, 2000)));
  }
  return box;
}

const short = (value, size = 160) => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text === undefined || value === null ? "none" : text.length > size ? `${text.slice(0, size)} …` : text;
};

/* One change of a record or file: what it is, and the fields that differ. */
function changeView(change, open = false) {
  const title = [
    h("span", { class: `how ${change.how}` }, change.how), " ",
    h("span", { class: "mono" }, change.table === "file" ? "file " : `${change.table} `, change.id),
    change.label ? h("span", { class: "soft" }, ` ${change.label}`) : null,
  ];
  if (change.table === "file") return h("p", { class: "change" }, title);
  const body = change.fields
    ? h("table", { class: "fields" }, h("tbody", {}, Object.entries(change.fields).map(([name, [old, now]]) =>
        h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, fieldView(old, now))))))
    : folded(readable(change.record));
  return h("details", { class: "change", open: open || null }, h("summary", {}, title), body);
}

function fieldView(old, now) {
  const texts = [old, now].map((value) => (typeof value === "string" ? value : readable(value)));
  if (texts.some((text) => text.includes("\n") || text.length > 160)) return diffView(old === null ? null : texts[0], now === null ? null : texts[1]);
  return [h("del", {}, short(old)), " → ", h("ins", {}, short(now))];
}
