// A form is sent once, and a field finds tools by their words.
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});
document.addEventListener("input", (event) => {
  const field = event.target.closest("[data-tools]");
  if (!field) return;
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const tool of document.querySelectorAll(".tool")) {
    tool.hidden = !words.every((word) => tool.dataset.name.includes(word));
  }
});
