// The conversation along one path of the tree, in stretches that are filled when somebody comes near them.

const STRETCH = 12;
const GUESSED_HEIGHT = 130;
const NEAR = "1600px 0px";
const FILLED_AT_ONCE = 3;
const FILL_ALL_BELOW = 1500;
const SCROLL_TRIES = 12;

const stretchesElement = document.getElementById("stretches");
const view = { path: [], places: new Map(), stretches: [], toolsOpen: true, thinkingOpen: false };

const nearby = new IntersectionObserver(
  (seen) => seen.forEach((one) => one.isIntersecting && fill(Number(one.target.dataset.stretch))),
  { rootMargin: NEAR },
);

function showPath(leaf) {
  nearby.disconnect();
  view.path = leaf < 0 ? [] : pathTo(leaf);
  view.places = new Map(view.path.map((number, place) => [number, place]));
  view.stretches = [];
  for (let first = 0; first < view.path.length; first += STRETCH) {
    const made = element("section", "stretch");
    const count = Math.min(STRETCH, view.path.length - first);
    made.dataset.stretch = view.stretches.length;
    made.style.minHeight = `${count * GUESSED_HEIGHT}px`;
    view.stretches.push(made);
  }
  stretchesElement.replaceChildren(...view.stretches);
  if (!view.path.length) {
    const why = total ? "The session was left before its first entry." : "There is nothing in this session.";
    stretchesElement.append(element("p", "line", why));
  }
  view.stretches.slice(0, FILLED_AT_ONCE).forEach((_, index) => fill(index));
  view.stretches.forEach((one) => nearby.observe(one));
  document.getElementById("elsewhere").hidden = leaf === session.leaf;
  // Then the browser's own search finds everything, too.
  if (view.path.length < FILL_ALL_BELOW) fillLater(view.stretches);
}

function fillLater(stretches) {
  const idle = window.requestIdleCallback ?? ((work) => setTimeout(work, 50));
  const next = (from) => {
    if (view.stretches !== stretches || from >= stretches.length) return;
    fill(from);
    idle(() => next(from + 1));
  };
  idle(() => next(0));
}

function fill(index) {
  const stretch = view.stretches[index];
  if (!stretch || stretch.dataset.filled) return;
  stretch.dataset.filled = "yes";
  nearby.unobserve(stretch);
  const first = index * STRETCH;
  const made = view.path.slice(first, first + STRETCH).flatMap((number, offset) => placed(number, first + offset));
  stretch.append(...made);
  stretch.style.minHeight = "";
  if (searchInput.value) markMatchesSoon();
}

let marking = 0;

function markMatchesSoon() {
  clearTimeout(marking);
  marking = setTimeout(markMatches, 100);
}

function placed(number, place) {
  const article = entryElement(number);
  const before = view.path[place - 1];
  const goesOn = (kind) => kind >= 1 && kind <= 3;
  if (before !== undefined && goesOn(session.kinds[before]) && goesOn(session.kinds[number])) {
    article.classList.add("goes-on");
  }
  hideAnswered(article, place);
  article.querySelectorAll("details.tool").forEach((one) => (one.open = view.toolsOpen));
  article.querySelectorAll("details.thinking").forEach((one) => (one.open = view.thinkingOpen));
  return siblings(number).length > 1 ? [branchSwitch(number), article] : [article];
}

// A call whose result is on the path is shown there, with what came of it.
function hideAnswered(article, place) {
  const calls = article.querySelectorAll("details.tool[data-call]");
  if (!calls.length) return;
  const answered = new Set();
  for (let at = place + 1; at < view.path.length && session.calls[view.path[at]] !== undefined; at++) {
    answered.add(session.calls[view.path[at]]);
  }
  calls.forEach((call) => (call.hidden = answered.has(call.dataset.call)));
  const says = article.querySelector(":scope > :not(.head):not([hidden])");
  if (!says) article.classList.add("silent");
}

function branchSwitch(number) {
  const all = siblings(number);
  const place = all.indexOf(number);
  const made = element("nav", "branches");
  made.setAttribute("aria-label", "Branches at this place");
  const step = (text, label, to) => {
    const button = element("button", "", text);
    button.type = "button";
    button.setAttribute("aria-label", label);
    button.disabled = to === undefined;
    button.addEventListener("click", () => goTo(to));
    return button;
  };
  const told = `Branch ${place + 1} of ${all.length}` + (active.has(number) ? "" : ", left");
  made.append(step("‹", "The branch before", all[place - 1]), element("span", "", told));
  made.append(step("›", "The next branch", all[place + 1]));
  return made;
}

// Scrolls to an entry, on its own branch if it is on another one than that which is shown.
function openEntry(number) {
  if (!view.places.has(number)) showPath(tipBelow(number));
  const index = Math.floor(view.places.get(number) / STRETCH);
  [index - 1, index, index + 1].forEach(fill);
  const article = document.getElementById(`entry-${session.ids[number]}`);
  document.querySelectorAll("article.target").forEach((one) => one.classList.remove("target"));
  article.classList.add("target");
  bringUp(article);
  article.focus({ preventScroll: true });
  tree.current = number;
  if (tree.layout) selectEntry(number);
}

// What is above it gets its real height only now: goes on until the entry stays where it is.
function bringUp(article, tries = SCROLL_TRIES) {
  const before = article.getBoundingClientRect().top;
  article.scrollIntoView({ block: "start" });
  if (tries && Math.abs(article.getBoundingClientRect().top - before) > 1) {
    requestAnimationFrame(() => bringUp(article, tries - 1));
  }
}

function fillAll() {
  view.stretches.forEach((_, index) => fill(index));
}
