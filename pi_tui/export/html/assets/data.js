// The session: columns by entry number, and the entries' HTML in chunks that are unpacked when needed.

const KEPT_CHUNKS = 12;
const CALLS = 2;

const session = JSON.parse(document.getElementById("tree-data").textContent);
const total = session.ids.length;
const numbers = new Map(session.ids.map((id, number) => [id, number]));
const failed = new Set(session.failed);
const children = session.ids.map(() => []);
const roots = [];
session.parents.forEach((parent, number) => (parent < 0 ? roots : children[parent]).push(number));

const chunkElements = document.querySelectorAll("script.chunk");
const unpacked = new Map();

// Only what this page carries becomes HTML, and only here; it was escaped and cleaned when the page was written.
const policy = window.trustedTypes
  ? window.trustedTypes.createPolicy("session", { createHTML: (text) => text })
  : { createHTML: (text) => text };

function chunkOf(number) {
  let low = 0, high = session.chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (session.chunks[middle] <= number) low = middle; else high = middle - 1;
  }
  return low;
}

function entriesOf(chunk) {
  let entries = unpacked.get(chunk);
  if (entries) unpacked.delete(chunk);
  else entries = JSON.parse(chunkElements[chunk].textContent);
  unpacked.set(chunk, entries);
  if (unpacked.size > KEPT_CHUNKS) unpacked.delete(unpacked.keys().next().value);
  return entries;
}

function entryHtml(number) {
  const chunk = chunkOf(number);
  return entriesOf(chunk)[number - session.chunks[chunk]];
}

function entryElement(number) {
  const template = document.createElement("template");
  template.innerHTML = policy.createHTML(entryHtml(number));
  return template.content.firstElementChild;
}

function entryHash(number) {
  return "#entry-" + encodeURIComponent(session.ids[number]);
}

function numberOfHash(hash) {
  if (!hash.startsWith("#entry-")) return undefined;
  try {
    return numbers.get(decodeURIComponent(hash.slice("#entry-".length)));
  } catch {
    return undefined;
  }
}

function pathTo(number) {
  const path = [];
  for (let at = number; at >= 0; at = session.parents[at]) path.push(at);
  return path.reverse();
}

const active = new Set(pathTo(session.leaf));

function tipBelow(number) {
  let at = number;
  while (children[at].length) {
    at = children[at].find((child) => active.has(child)) ?? children[at][children[at].length - 1];
  }
  // What the session was left on may have entries below it that are on no active path.
  return active.has(number) ? session.leaf : at;
}

function siblings(number) {
  return session.parents[number] < 0 ? roots : children[session.parents[number]];
}

function element(name, classes, text) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  if (text !== undefined) made.textContent = text;
  return made;
}
