// Search in everything the entries say. Texts are gathered at the first search, a few milliseconds at a time.

const SLICE_MS = 8;
const MAX_MARKS = 2000;
const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&#34;": '"', "&#39;": "'", "&quot;": '"' };

const searchInput = document.getElementById("search");
const foundElement = document.getElementById("found");
const texts = [];
let searching = 0;

function textOf(number) {
  const said = entryHtml(number)
    .replace(/<\/?[a-z][^>]*>/g, " ")
    .replace(/&(?:lt|gt|amp|quot|#34|#39);/g, (entity) => ENTITIES[entity]);
  return `${session.tags[number]} ${session.labels[number] ?? ""} ${said}`.toLowerCase();
}

const pause = () => new Promise((resolve) => setTimeout(resolve));

async function gatherTexts(turn) {
  let began = performance.now();
  while (texts.length < total) {
    texts.push(textOf(texts.length));
    if (performance.now() - began > SLICE_MS) {
      foundElement.textContent = `Searching… ${Math.floor((100 * texts.length) / total)} %`;
      await pause();
      if (turn !== searching) return false;
      began = performance.now();
    }
  }
  return true;
}

const wordsOf = (query) => query.toLowerCase().split(/\s+/).filter(Boolean);

async function search() {
  const turn = ++searching;
  const words = wordsOf(searchInput.value);
  if (!words.length) {
    tree.found = null;
    foundElement.textContent = "";
  } else {
    if (!(await gatherTexts(turn))) return;
    tree.found = new Set();
    texts.forEach((text, number) => {
      if (words.every((word) => text.includes(word))) tree.found.add(number);
    });
  }
  updateTree();
  if (words.length) {
    const count = tree.layout.rows.length;
    const hidden = tree.found.size - count;
    foundElement.textContent =
      `${count} ${count === 1 ? "entry" : "entries"}` + (hidden > 0 ? `, ${hidden} more with other filters` : "");
  }
  markMatches();
}

// Shows where the words are in what is on the page, without touching it.
function markMatches() {
  if (!window.CSS || !CSS.highlights) return;
  const words = wordsOf(searchInput.value);
  const ranges = [];
  const walker = document.createTreeWalker(document.getElementById("stretches"), NodeFilter.SHOW_TEXT);
  while (words.length && ranges.length < MAX_MARKS && walker.nextNode()) {
    const text = walker.currentNode.data.toLowerCase();
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0 && ranges.length < MAX_MARKS; at = text.indexOf(word, at + word.length)) {
        if (at + word.length > walker.currentNode.length) break;
        const range = new Range();
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + word.length);
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set("search", new Highlight(...ranges));
}

let typing = 0;

searchInput.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(search, 120);
});

searchInput.addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    event.preventDefault();
    if (tree.layout.rows.length) {
      const next = tree.layout.rows[tree.selected] === tree.current ? tree.selected + (event.shiftKey ? -1 : 1) : tree.selected;
      selectRow((next + tree.layout.rows.length) % tree.layout.rows.length);
      openRow(tree.selected);
    }
  } else if (event.key === "ArrowDown") {
    event.preventDefault();
    rowsElement.focus();
  } else if (event.key === "Escape" && searchInput.value) {
    event.preventDefault();
    searchInput.value = "";
    search();
  }
});
