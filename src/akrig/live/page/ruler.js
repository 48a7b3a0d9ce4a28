// A line that a person draws: two places, the way between them, and its bearing.
import { length } from "./words.js";

export class Ruler {
  constructor(changed) {
    this.changed = changed;
    [this.on, this.ends] = [false, []];
  }

  use(on) {
    [this.on, this.ends] = [on, []];
    this.changed();
  }

  // A place was chosen; a third one begins a new line.
  chosen(x, y) {
    if (!this.on) return;
    this.ends = this.ends.length === 2 ? [[x, y]] : [...this.ends, [x, y]];
    this.changed();
  }

  get line() {
    return this.ends.length === 2 ? this.ends : null;
  }

  get hint() {
    return this.ends.length ? "Choose where the line ends." : "Choose where the line begins: click, tap, or Enter at the crosshair.";
  }

  paint(pen, cursor) {
    const ends = this.ends.length === 1 && cursor ? [...this.ends, cursor] : this.ends;
    if (!this.on || !ends.length) return;
    const places = ends.map(([x, y]) => pen.px(x, y));
    const path = new Path2D();
    places.forEach(([x, y], k) => path[k ? "lineTo" : "moveTo"](x, y));
    for (const [x, y] of places) {
      path.moveTo(x + 4, y);
      path.arc(x, y, 4, 0, 7);
    }
    pen.cased(path, { width: 2 });
    if (ends.length === 2) note(pen, places, distanceWords(ends));
  }
}

// Beside the middle of the line, inside the picture.
function note({ c, canvas }, [[ax, ay], [bx, by]], text) {
  c.font = "650 13px system-ui, sans-serif";
  const width = c.measureText(text).width + 14;
  const x = Math.min(Math.max((ax + bx) / 2 - width / 2, 4), canvas.clientWidth - width - 4);
  const y = Math.min(Math.max((ay + by) / 2 - 34, 4), canvas.clientHeight - 30);
  c.fillStyle = "rgb(13 20 24 / 88%)";
  c.beginPath();
  c.roundRect(x, y, width, 24, 5);
  c.fill();
  c.fillStyle = "#ffffff";
  c.fillText(text, x + 7, y + 17);
}

export function measured([[ax, ay], [bx, by]]) {
  const [east, north] = [bx - ax, by - ay];
  return { metres: Math.hypot(east, north), bearing: ((Math.atan2(east, north) * 180) / Math.PI + 360) % 360 };
}

export function distanceWords(ends) {
  const { metres, bearing } = measured(ends);
  return `${length(metres)}, ${String(Math.round(bearing) % 360).padStart(3, "0")}\u00b0`;
}
