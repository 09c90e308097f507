// The sidebar: as many rows as fit are elements, whatever the number of entries.

const ROW_HEIGHT = 28;
const EXTRA_ROWS = 8;
const KIND_NAMES = ["user", "answer", "calls", "result", "command", "custom", "summary", "record"];

const rowsElement = document.getElementById("rows");
const spacer = element("div", "spacer");
spacer.setAttribute("role", "none");
rowsElement.append(spacer);

const tree = { mode: "default", closed: new Set(), found: null, layout: null, selected: 0, current: -1 };

function updateTree(select) {
  tree.layout = layOut(shownBy(tree.mode, tree.found), tree.closed);
  spacer.style.height = `${tree.layout.rows.length * ROW_HEIGHT}px`;
  selectEntry(select ?? tree.current);
}

// The row of an entry, or of the nearest one above it that has a row.
function nearestRow(number) {
  for (let at = number; at >= 0; at = session.parents[at]) {
    const row = tree.layout.places.get(at);
    if (row !== undefined) return row;
  }
  return 0;
}

function selectEntry(number) {
  selectRow(nearestRow(number));
}

function selectRow(index) {
  tree.selected = Math.max(0, Math.min(index, tree.layout.rows.length - 1));
  const top = tree.selected * ROW_HEIGHT;
  if (top < rowsElement.scrollTop) rowsElement.scrollTop = top - ROW_HEIGHT;
  else if (top + 2 * ROW_HEIGHT > rowsElement.scrollTop + rowsElement.clientHeight) {
    rowsElement.scrollTop = top + 2 * ROW_HEIGHT - rowsElement.clientHeight;
  }
  drawRows();
}

function drawRows() {
  const layout = tree.layout;
  const first = Math.max(0, Math.floor(rowsElement.scrollTop / ROW_HEIGHT) - EXTRA_ROWS);
  const count = Math.ceil((rowsElement.clientHeight || 600) / ROW_HEIGHT) + 2 * EXTRA_ROWS;
  const made = [];
  for (let index = first; index < Math.min(layout.rows.length, first + count); index++) made.push(rowElement(index));
  spacer.replaceChildren(...made);
  const selected = layout.rows[tree.selected];
  if (document.getElementById(`row-${selected}`)) rowsElement.setAttribute("aria-activedescendant", `row-${selected}`);
  else rowsElement.removeAttribute("aria-activedescendant");
}

function rowElement(index) {
  const row = tree.layout.row(index);
  const number = row.number;
  const made = element("div", `row ${KIND_NAMES[session.kinds[number]]}`);
  made.id = `row-${number}`;
  made.style.top = `${index * ROW_HEIGHT}px`;
  made.dataset.row = index;
  made.setAttribute("role", "treeitem");
  made.setAttribute("aria-level", row.guides.length + 1);
  made.setAttribute("aria-posinset", index + 1);
  made.setAttribute("aria-setsize", tree.layout.rows.length);
  made.setAttribute("aria-selected", index === tree.selected);
  if (number === tree.current) made.setAttribute("aria-current", "true");
  if (row.folds) made.setAttribute("aria-expanded", !row.folded);
  if (active.has(number)) made.classList.add("active");
  if (failed.has(number)) made.classList.add("failed");
  if (number === session.leaf) made.classList.add("leaf");
  const guides = element("span", "guides", guideText(row));
  guides.setAttribute("aria-hidden", "true");
  const fold = element("span", "fold", row.folds ? (row.folded ? "▸" : "▾") : "");
  fold.setAttribute("aria-hidden", "true");
  made.append(guides, fold);
  if (session.labels[number]) made.append(element("span", "label", session.labels[number]));
  made.append(element("span", "tag", session.tags[number]), element("span", "text", session.texts[number]));
  made.title = `${session.tags[number]} ${session.texts[number]}`;
  return made;
}

function toggleFold(index, folded) {
  const row = tree.layout.row(index);
  if (!row.folds || (folded !== undefined && row.folded === folded)) return false;
  if (row.folded) tree.closed.delete(row.number);
  else tree.closed.add(row.number);
  updateTree(row.number);
  return true;
}

// Folds the stretch the row is in; if it is folded already, goes to where it hangs.
function foldOrLeave() {
  let index = tree.selected;
  while (index > 0 && !tree.layout.isStart(tree.layout.rows[index])) index--;
  if (index !== tree.selected) return selectRow(index);
  if (toggleFold(index, true)) return undefined;
  const above = tree.layout.above[tree.layout.rows[index]];
  return above >= 0 ? selectRow(nearestRow(above)) : undefined;
}

function onTreeKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const page = Math.max(1, Math.floor(rowsElement.clientHeight / ROW_HEIGHT) - 1);
  const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -total, End: total };
  if (event.key in moves) selectRow(tree.selected + moves[event.key]);
  else if (event.key === "ArrowLeft") foldOrLeave();
  else if (event.key === "ArrowRight") toggleFold(tree.selected, false);
  else if (event.key === "Enter" || event.key === " ") openRow(tree.selected);
  else return;
  event.preventDefault();
}

function openRow(index) {
  const number = tree.layout.rows[index];
  if (number !== undefined) goTo(number);
}

function onRowClick(event) {
  const row = event.target.closest(".row");
  if (!row) return;
  const index = Number(row.dataset.row);
  selectRow(index);
  if (event.target.classList.contains("fold") && toggleFold(index)) return;
  openRow(index);
}

rowsElement.addEventListener("scroll", drawRows, { passive: true });
rowsElement.addEventListener("keydown", onTreeKey);
rowsElement.addEventListener("click", onRowClick);
new ResizeObserver(drawRows).observe(rowsElement);
