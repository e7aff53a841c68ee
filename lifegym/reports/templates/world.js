// Rows that fold their details, and fields that filter the rows of the table below them.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button.fold[aria-expanded]");
  if (!button) return;
  const more = button.closest("tr").nextElementSibling;
  more.hidden = !more.hidden;
  button.setAttribute("aria-expanded", String(!more.hidden));
});
document.querySelector(".services [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
document.addEventListener("input", (event) => {
  const field = event.target.closest("[data-filter]");
  if (!field) return;
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const body = field.closest(".controls").nextElementSibling.querySelector("tbody");
  for (const row of body.rows) {
    if (row.classList.contains("more") || row.parentElement !== body) continue;
    const more = row.nextElementSibling?.classList.contains("more") ? row.nextElementSibling : null;
    const text = (row.textContent + (more ? more.textContent : "")).toLowerCase();
    const fits = words.every((word) => text.includes(word));
    row.hidden = !fits;
    if (more && (!fits || row.querySelector("button.fold").getAttribute("aria-expanded") === "false")) more.hidden = true;
    else if (more) more.hidden = false;
  }
});
