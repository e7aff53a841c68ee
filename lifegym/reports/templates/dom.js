"use strict";
/* Making elements. Every text goes in as a text node, so nothing that an agent or a world wrote can become markup. */

const SVG = "http://www.w3.org/2000/svg";

/* Control characters and marks that turn the direction of writing, made visible: they would hide or reorder text. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

function visible(text) {
  return String(text).replace(/\r\n/g, "\n").replace(HIDDEN, (mark) => {
    const code = mark.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
  });
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : visible(child));
  }
  return element;
}

/* h("p", {class: "soft"}, "text", otherElement) */
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const points = (value, digits = 1) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const thousands = (value) => (value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en").replace(/,/g, "\u202f"));
const words = (name) => name.replace(/_/g, " ");
const count = (number, noun) => `${thousands(number)} ${noun}${number === 1 ? "" : "s"}`;

/* Times come with the world's own offset; what is shown is the world's local time, whatever the reader's zone. */
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function when(stamp, seconds = false) {
  if (!stamp) return "–";
  const [year, month, day] = stamp.slice(0, 10).split("-").map(Number);
  const weekday = DAYS[new Date(Date.UTC(year, month - 1, day)).getUTCDay()];
  return `${weekday} ${day} ${MONTHS[month - 1]} ${stamp.slice(11, seconds ? 19 : 16)}`;
}

/* A JSON value as indented names and values, which people read faster than JSON. */
function readable(value) {
  const lines = [];
  const scalar = (part) => (typeof part === "string" ? part : JSON.stringify(part));
  const nested = (part) => part !== null && typeof part === "object" && (Array.isArray(part) ? part.length : Object.keys(part).length);
  function put(part, indent, lead) {
    if (!nested(part)) {
      const [first, ...rest] = scalar(part).split("\n");
      lines.push(lead + first, ...rest.map((line) => indent + line));
      return;
    }
    let next = lead;
    for (const [name, item] of Object.entries(part)) {
      if (Array.isArray(part)) put(item, indent + "  ", next + "- ");
      else if (nested(item)) { lines.push(`${next}${name}:`); put(item, indent + "  ", indent + "  "); }
      else put(item, indent + "  ", `${next}${name}: `);
      next = indent;
    }
  }
  put(value, "", "");
  return lines.join("\n");
}

function parsed(text) {
  if (text.length > 300000 || !/^\s*[\[{]/.test(text)) return undefined;
  try { return JSON.parse(text); } catch { return undefined; }
}

/* A text that shows its first lines, and the rest on demand. */
const FOLD_LINES = 16, FOLD_LETTERS = 100;

function folded(text, attributes = {}, most = FOLD_LINES) {
  const whole = String(text);
  let short = whole.split("\n", most).join("\n").slice(0, most * FOLD_LETTERS);
  if (whole.length - short.length < 200) short = whole;
  else short = `${short.slice(0, Math.max(short.search(/\s\S{0,40}$/), short.length - 40))} …`;
  const pre = h("pre", { dir: "auto", ...attributes }, short);
  if (short === whole) return pre;
  const box = h("div", { class: "folded" }, pre);
  const button = h("button", {
    class: "plain small", type: "button", "aria-expanded": "false", "data-fold": "",
    onclick: () => {
      const open = button.getAttribute("aria-expanded") === "false";
      pre.replaceChildren(visible(open ? whole : short));
      button.setAttribute("aria-expanded", String(open));
      button.textContent = open ? "Fold" : label;
    },
  });
  const label = `Show all ${thousands(whole.length)} characters`;
  button.textContent = label;
  box.append(button);
  return box;
}
