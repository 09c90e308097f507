// Rows of the tree: indented only where it really branches, each entry on the nearest shown one above it.

const GUIDES = ["│ ", "  ", "├─", "└─"];
const MAX_GUIDES = 10;

function layOut(shown, closed) {
  const above = new Int32Array(total).fill(-1);
  const kids = new Int32Array(total + 1);
  const last = new Int32Array(total + 1).fill(-1);
  for (const number of session.order) {
    const parent = session.parents[number];
    const anchor = parent < 0 || shown[parent] ? parent : above[parent];
    above[number] = anchor;
    if (shown[number]) {
      kids[anchor + 1] += 1;
      last[anchor + 1] = number;
    }
  }
  const starts = (number) => above[number] < 0 || kids[above[number] + 1] > 1;
  const guides = new Map([[-1, []]]);
  const rows = [];
  for (const number of session.order) {
    if (!shown[number]) continue;
    const anchor = above[number];
    const before = guides.get(anchor);
    if (!before || (anchor >= 0 && closed.has(anchor) && starts(anchor))) continue;
    const branches = anchor >= 0 && kids[anchor + 1] > 1;
    guides.set(number, branches ? [...before, last[anchor + 1] === number] : before);
    rows.push(number);
  }
  const row = (index) => {
    const number = rows[index];
    const folds = starts(number) && kids[number + 1] > 0;
    return { number, guides: guides.get(number), start: starts(number), folds, folded: folds && closed.has(number) };
  };
  return { rows, row, above, places: new Map(rows.map((number, index) => [number, index])), isStart: starts };
}

function guideText(row) {
  const levels = row.guides.slice(-MAX_GUIDES);
  return levels
    .map((isLast, level) => {
      const lead = row.start && level === levels.length - 1;
      return GUIDES[(lead ? 2 : 0) + (isLast ? 1 : 0)];
    })
    .join("");
}

function shownBy(mode, found) {
  const shown = new Uint8Array(total);
  const kinds = new Set(session.filters[mode]);
  for (let number = 0; number < total; number++) {
    const passes =
      mode === "labeled-only"
        ? number in session.labels
        : kinds.has(session.kinds[number]) ||
          (mode === "default" && session.kinds[number] === CALLS && !children[number].length);
    shown[number] = passes && (!found || found.has(number)) ? 1 : 0;
  }
  return shown;
}
