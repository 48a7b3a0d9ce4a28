// Lines of equal value through a map, joined, and labelled where there is room. The same levels as the survey's file of contours.
const ABOUT_LINES = 10;
const STEPS = [1, 2, 5, 10];
const LONG_ENOUGH = 80; // pixels of a line that carries a label
const APART = 54; // pixels between labels

const known = new WeakMap(); // the lines of a layer, until there is a newer map

// 1, 2 or 5 times a power of ten, for about ten levels; `null` if the map is flat to a thousandth.
export function sensibleInterval(low, high) {
  if (!(high - low > 1e-3)) return null;
  const rough = (high - low) / ABOUT_LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const far = (step) => Math.abs(Math.log((step * power) / rough));
  const best = STEPS.reduce((a, b) => (far(b) < far(a) ? b : a));
  return Number((best * power).toFixed(9));
}

// Lines as [column, row] of the grid, by level.
export function contours(values, rows, columns, { inside = null } = {}) {
  const before = known.get(values);
  if (before) return before;
  let [low, high] = [Infinity, -Infinity];
  for (let k = 0; k < values.length; k += 1) {
    if (inside && !inside[k]) continue;
    if (values[k] < low) low = values[k];
    if (values[k] > high) high = values[k];
  }
  const step = sensibleInterval(low, high);
  const found = { step, levels: [] };
  for (let n = step ? Math.ceil(low / step) : 1; step && n <= Math.floor(high / step); n += 1) {
    const level = Number((n * step).toFixed(9));
    found.levels.push({ level, isFifth: n % 5 === 0, lines: isolines(values, rows, columns, level) });
  }
  known.set(values, found);
  return found;
}

// Marching squares: an edge of the grid is named 2k (to the east of point k) or 2k + 1 (to the north of it).
export function isolines(values, rows, columns, level) {
  const links = new Map();
  const add = (a, b) => (links.has(a) ? links.get(a).push(b) : links.set(a, [b]));
  const link = (a, b) => [add(a, b), add(b, a)];
  for (let i = 0; i < rows - 1; i += 1) {
    for (let j = 0; j < columns - 1; j += 1) {
      const k = i * columns + j;
      const [a, b, c, d] = [values[k], values[k + 1], values[k + columns + 1], values[k + columns]];
      if (Number.isNaN(a + b + c + d)) continue;
      const [A, B, C, D] = [a > level, b > level, c > level, d > level];
      if (A === B && B === C && C === D) continue;
      const [south, east, north, west] = [2 * k, 2 * (k + 1) + 1, 2 * (k + columns), 2 * k + 1];
      const crossed = [[A !== B, south], [B !== C, east], [C !== D, north], [D !== A, west]].filter(([is]) => is).map(([, edge]) => edge);
      if (crossed.length === 2) link(...crossed);
      else if ((a + b + c + d) / 4 > level === A) [link(south, east), link(north, west)];
      else [link(south, west), link(north, east)];
    }
  }
  const place = (edge) => {
    const [k, isNorth] = [edge >> 1, edge & 1];
    const share = (level - values[k]) / (values[isNorth ? k + columns : k + 1] - values[k]);
    return [(k % columns) + (isNorth ? 0 : share), Math.floor(k / columns) + (isNorth ? share : 0)];
  };
  const walk = (edge) => {
    const line = [place(edge)];
    for (let [at, next] = [edge, links.get(edge).pop()]; next !== undefined; [at, next] = [next, links.get(next).pop()]) {
      const back = links.get(next);
      back.splice(back.indexOf(at), 1);
      line.push(place(next));
    }
    return line;
  };
  const lines = [];
  for (const [edge, to] of links) if (to.length === 1) lines.push(walk(edge)); // begins at a border
  for (const [edge, to] of links) if (to.length) lines.push(walk(edge)); // closed
  return lines;
}

// `toPixels` takes a column and a row.
export function drawContours(c, { levels }, toPixels, words) {
  const labels = [];
  c.lineJoin = "round";
  for (const { level, isFifth, lines } of levels) {
    for (const line of lines) {
      const places = line.map(([column, row]) => toPixels(column, row));
      const path = new Path2D();
      places.forEach(([x, y], k) => path[k ? "lineTo" : "moveTo"](x, y));
      [c.strokeStyle, c.lineWidth] = ["rgb(255 255 255 / 55%)", isFifth ? 3 : 2.2];
      c.stroke(path);
      [c.strokeStyle, c.lineWidth] = ["rgb(13 20 24 / 85%)", isFifth ? 1.6 : 0.9];
      c.stroke(path);
      label(places, words(level), labels);
    }
  }
  c.font = "600 12px system-ui, sans-serif";
  [c.textAlign, c.textBaseline] = ["center", "middle"];
  for (const { x, y, angle, text } of labels) {
    c.save();
    c.translate(x, y);
    c.rotate(angle);
    [c.strokeStyle, c.lineWidth, c.fillStyle] = ["rgb(255 255 255 / 90%)", 3.5, "#0d1418"];
    c.strokeText(text, 0, 0);
    c.fillText(text, 0, 0);
    c.restore();
  }
  [c.textAlign, c.textBaseline] = ["left", "alphabetic"];
  return labels.length;
}

// Halfway along a line, upright, and never beside another label.
function label(places, text, labels) {
  const lengths = places.map(([x, y], k) => (k ? Math.hypot(x - places[k - 1][0], y - places[k - 1][1]) : 0));
  const whole = lengths.reduce((sum, part) => sum + part, 0);
  if (whole < LONG_ENOUGH) return;
  for (const share of [0.5, 0.25, 0.75]) {
    let [k, left] = [1, share * whole];
    while (k < places.length - 1 && left > lengths[k]) left -= lengths[k++];
    const [[x, y], [px, py]] = [places[k], places[Math.max(0, k - 1)]];
    if (labels.some((other) => Math.hypot(other.x - x, other.y - y) < APART)) continue;
    let angle = Math.atan2(y - py, x - px);
    if (Math.abs(angle) > Math.PI / 2) angle += Math.PI;
    labels.push({ x, y, angle, text });
    return;
  }
}
