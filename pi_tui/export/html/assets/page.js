// What ties the page together: links, buttons, keys, light and dark.

const THEMES = ["auto", "light", "dark"];
const STORED_THEME = "pi-session-theme";
const TOAST_MS = 1600;

const button = (name) => document.getElementById(`${name}-button`);
const toastElement = document.getElementById("toast");
let toastTimer = 0;

function goTo(number) {
  const hash = entryHash(number);
  closeTree();
  if (location.hash === hash) openEntry(number);
  else location.hash = hash;
}

function openHash() {
  const number = numberOfHash(location.hash);
  if (number !== undefined) openEntry(number);
}

function toast(text) {
  toastElement.textContent = text;
  toastElement.classList.add("shown");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => toastElement.classList.remove("shown"), TOAST_MS);
}

async function copyLink(anchor) {
  try {
    await navigator.clipboard.writeText(anchor.href);
    toast("Link copied");
  } catch {
    toast("The link is in the address bar");
  }
}

function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  button("theme").textContent = `Theme: ${name}`;
  button("theme").dataset.name = name;
}

function nextTheme() {
  const name = THEMES[(THEMES.indexOf(button("theme").dataset.name) + 1) % THEMES.length];
  setTheme(name);
  try {
    localStorage.setItem(STORED_THEME, name);
  } catch {
    // A page without storage forgets it.
  }
}

function storedTheme() {
  try {
    const name = localStorage.getItem(STORED_THEME);
    return THEMES.includes(name) ? name : "auto";
  } catch {
    return "auto";
  }
}

function toggleAll(which) {
  const key = `${which}Open`;
  view[key] = !view[key];
  button(which).setAttribute("aria-pressed", view[key]);
  const kind = which === "tools" ? "tool" : "thinking";
  stretchesElement.querySelectorAll(`details.${kind}`).forEach((one) => (one.open = view[key]));
}

function toggleTree() {
  const open = document.body.classList.toggle("tree-open");
  button("tree").setAttribute("aria-expanded", open);
  if (open) {
    drawRows();
    searchInput.focus();
  }
}

function closeTree() {
  document.body.classList.remove("tree-open");
  button("tree").setAttribute("aria-expanded", "false");
}

function showMore(more) {
  const open = more.getAttribute("aria-expanded") !== "true";
  more.setAttribute("aria-expanded", open);
  more.previousElementSibling.classList.toggle("clip", !open);
  more.textContent = open ? "Show less" : `Show all ${more.dataset.lines} lines`;
}

const KEYS = {
  "/": () => {
    if (!document.body.classList.contains("tree-open")) toggleTree();
    searchInput.focus();
  },
  t: () => toggleAll("thinking"),
  o: () => toggleAll("tools"),
  d: nextTheme,
};

document.addEventListener("keydown", (event) => {
  const typingHere = event.target.matches("input, textarea, select");
  if (event.key === "Escape" && document.body.classList.contains("tree-open") && !searchInput.value) {
    closeTree();
    return;
  }
  if (typingHere || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});

document.addEventListener("click", (event) => {
  const anchor = event.target.closest("a.anchor");
  if (anchor) copyLink(anchor);
  const more = event.target.closest("button.more");
  if (more) showMore(more);
});

button("theme").addEventListener("click", nextTheme);
button("tools").addEventListener("click", () => toggleAll("tools"));
button("thinking").addEventListener("click", () => toggleAll("thinking"));
button("tree").addEventListener("click", toggleTree);
document.getElementById("back").addEventListener("click", () => {
  showPath(session.leaf);
  history.replaceState(null, "", location.pathname + location.search);
});
document.getElementById("filters").addEventListener("change", (event) => {
  tree.mode = event.target.value;
  updateTree(tree.layout.rows[tree.selected]);
  if (tree.found) search();
});
window.addEventListener("hashchange", openHash);
window.addEventListener("beforeprint", fillAll);

setTheme(storedTheme());
showPath(session.leaf);
tree.current = view.path[0] ?? -1;
updateTree();
openHash();
