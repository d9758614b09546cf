// Elements of the page.

import { request } from "./host.js";

/** Makes an element. Texts become texts, never markup; `on…` listens. */
export function el(kind, properties = {}, ...children) {
  const node = document.createElement(kind);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else if (name in node && typeof value !== "string") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return node;
}

/** Reads a picture that the server drew. */
export function picture(text) {
  const node = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (node.nodeName !== "svg") return el("p", {}, "This picture can't be shown.");
  // Pictures on one page must not share the names of their parts.
  const part = Math.random().toString(36).slice(2);
  for (const named of node.querySelectorAll("[id]")) named.id += part;
  for (const user of node.querySelectorAll("*")) {
    for (const name of ["marker-end", "marker-start", "href", "aria-labelledby"]) {
      const value = user.getAttribute(name);
      if (value?.includes("#")) user.setAttribute(name, value.replace(/#([\w-]+)/, "#$1" + part));
    }
  }
  return document.adoptNode(node);
}

/** Saves a text as a file. */
export function download(name, kind, text) {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Writes a picture as a file that stands alone: with its style. */
export async function downloadPicture(name, node) {
  const copy = node.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = await (await request("/assets/drawings.css")).text();
  copy.prepend(style);
  download(name, "image/svg+xml", new XMLSerializer().serializeToString(copy));
}

/** Shows Markdown of our own messages: paragraphs, code, lists. */
export function markdown(text) {
  const parts = [];
  const inline = line => line.split(/(`[^`]+`)/).map(piece =>
    piece.startsWith("`") && piece.length > 2 ? el("code", {}, piece.slice(1, -1)) : piece);
  for (const block of text.split(/(```[\s\S]*?```)/)) {
    if (block.startsWith("```")) {
      parts.push(el("pre", {}, block.replace(/^```[^\n]*\n/, "").replace(/\n?```$/, "")));
      continue;
    }
    for (const paragraph of block.split(/\n{2,}/)) {
      if (paragraph.trim()) parts.push(el("p", {}, ...inline(paragraph.trim())));
    }
  }
  return parts;
}

const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });

/** Writes a number for people. */
export const short = value => Math.abs(value) >= 1e9 || (value !== 0 && Math.abs(value) < 1e-4)
  ? value.toPrecision(4) : number.format(value);

/** Says something to everybody, also to those who hear the page. */
export function announce(text) {
  const place = document.getElementById("status");
  if (place.textContent !== text) place.textContent = text;
}
