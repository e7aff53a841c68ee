/* Tables that sort by a click on a heading, and show what fits the controls above them. */

function sortTable(table, heading) {
  const column = heading.cellIndex, down = heading.getAttribute("aria-sort") === (heading.classList.contains("number") ? "descending" : "ascending");
  const direction = heading.classList.contains("number") !== down ? -1 : 1;
  const value = (row) => {
    const cell = row.cells[column], text = cell.dataset.value ?? cell.textContent.trim(), number = Number(text.replace(/[\s\u202f%]/g, ""));
    return text !== "" && !Number.isNaN(number) ? number : text.toLowerCase();
  };
  const compare = (a, b) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1);
  const rows = [...table.tBodies[0].rows].map((row, i) => [value(row), i, row]);
  rows.sort((a, b) => direction * compare(a[0], b[0]) || a[1] - b[1]);
  table.tBodies[0].append(...rows.map(([, , row]) => row));
  for (const other of table.tHead.rows[0].cells) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
  heading.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
}

function prepareTables(root) {
  for (const table of root.querySelectorAll("table[data-sortable]"))
    for (const heading of table.tHead.rows[0].querySelectorAll("[aria-sort]")) {
      const button = h("button", { type: "button", onclick: () => sortTable(table, heading) }, ...heading.childNodes);
      heading.replaceChildren(button);
    }
  for (const controls of root.querySelectorAll("[data-controls]")) {
    const table = root.querySelector(`#${CSS.escape(controls.dataset.controls)}`), fields = [...controls.querySelectorAll("[data-search], [data-select]")];
    const empty = table.parentElement.querySelector("[data-empty]");
    const draw = () => {
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        const fits = fields.every((field) => !field.value || (field.dataset.select
          ? (row.dataset[field.dataset.select] || "").split(" ").includes(field.value)
          : (row.dataset.text || row.textContent).toLowerCase().includes(field.value.toLowerCase())));
        row.hidden = !fits;
        shown += fits;
      }
      controls.querySelector("[data-count]").textContent = `${shown} of ${table.tBodies[0].rows.length}`;
      if (empty) empty.hidden = shown > 0;
    };
    for (const field of fields) field.addEventListener(field.matches("select") ? "change" : "input", draw);
    if (empty) empty.querySelector("[data-clear]").addEventListener("click", () => { for (const field of fields) field.value = ""; draw(); });
    draw();
  }
}
