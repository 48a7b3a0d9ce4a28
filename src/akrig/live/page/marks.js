// What is drawn over every map: area, track, readings, plan, boat, scale bar, north.
import { css, index } from "./colours.js";

const DARK = "#0d1418", LIGHT = "#ffffff", RED = "#d4372c", ORANGE = "#ffb347";

export class Pen {
  constructor(context, view, canvas) {
    [this.c, this.view, this.canvas] = [context, view, canvas];
  }

  px(x, y) {
    return this.view.toPixels(x, y, this.canvas);
  }

  ring(points) {
    points.forEach(([x, y], k) => this.c[k ? "lineTo" : "moveTo"](...this.px(x, y)));
    this.c.closePath();
  }

  // A line that is seen on light and on dark.
  cased(path, { width = 2, colour = LIGHT, edge = DARK, dash = [] }) {
    const { c } = this;
    c.lineJoin = c.lineCap = "round";
    c.setLineDash([]);
    [c.strokeStyle, c.lineWidth] = [edge, width + 2];
    c.setLineDash(dash);
    c.stroke(path);
    [c.strokeStyle, c.lineWidth] = [colour, width];
    c.stroke(path);
    c.setLineDash([]);
  }

  path(xs, ys, from, to) {
    const path = new Path2D();
    let last = null;
    for (let i = from; i < to; i += 1) {
      if (xs[i] === null) continue;
      const [px, py] = this.px(xs[i], ys[i]);
      if (last && Math.abs(px - last[0]) + Math.abs(py - last[1]) < 1.5 && i < to - 1) continue; // less than is seen
      path[last ? "lineTo" : "moveTo"](px, py);
      last = [px, py];
    }
    return path;
  }
}

export function clipToArea(pen, about) {
  const { c } = pen;
  c.beginPath();
  if (about.survey) {
    pen.ring(about.survey.fence);
    c.clip();
    c.beginPath();
    c.rect(-1e5, -1e5, 2e5, 2e5);
    about.survey.keepOuts.forEach((ring) => pen.ring(ring));
    c.clip("evenodd");
  } else {
    const [a, b] = [about.lower, about.upper];
    pen.ring([a, [b[0], a[1]], b, [a[0], b[1]]]);
    c.clip();
  }
}

export function drawArea(pen, about, home, ink) {
  const { c } = pen;
  const [a, b] = [about.lower, about.upper];
  [c.strokeStyle, c.lineWidth] = [ink, 2];
  c.beginPath();
  pen.ring(about.survey ? about.survey.fence : [a, [b[0], a[1]], b, [a[0], b[1]]]);
  c.stroke();
  for (const ring of about.survey?.keepOuts ?? []) hatched(pen, ring);
  if (home) {
    const [x, y] = pen.px(...home);
    const house = new Path2D(`M${x - 8} ${y} L${x} ${y - 8} L${x + 8} ${y} M${x - 5.5} ${y - 2} V${y + 7} H${x + 5.5} V${y - 2}`);
    pen.cased(house, { width: 2 });
  }
}

function hatched(pen, ring) {
  const { c } = pen;
  c.save();
  c.beginPath();
  pen.ring(ring);
  c.clip();
  const points = ring.map(([x, y]) => pen.px(x, y));
  const [left, right] = [Math.min(...points.map((p) => p[0])), Math.max(...points.map((p) => p[0]))];
  const [top, bottom] = [Math.min(...points.map((p) => p[1])), Math.max(...points.map((p) => p[1]))];
  [c.strokeStyle, c.lineWidth] = [RED, 1.5];
  c.beginPath();
  const first = Math.max(left, -50) - (bottom - top);
  for (let x = first; x < Math.min(right, pen.canvas.clientWidth + 50); x += 7) {
    c.moveTo(x, bottom);
    c.lineTo(x + bottom - top, top);
  }
  c.stroke();
  c.restore();
  c.beginPath();
  pen.ring(ring);
  [c.strokeStyle, c.lineWidth] = [RED, 2];
  c.stroke();
}

// From a moment `before`, or from the beginning.
export function drawTrack(pen, run, moment, before) {
  const source = run.boat.length ? run.boat : run.readings;
  const from = before ? Math.max(0, run.count(source, before.t) - 1) : 0;
  const path = pen.path(source.x ?? [], source.y ?? [], from, run.count(source, moment.t));
  pen.cased(path, { width: 1, colour: DARK, edge: "rgb(255 255 255 / 45%)" });
}

// Readings as dots; coloured by value while there is no map yet.
export function drawReadings(pen, run, moment, { from = 0, colours = null }) {
  const { c } = pen;
  const { x, y, v } = run.readings;
  const apart = run.metres?.length > 1 ? (run.metres[run.metres.length - 1] / run.metres.length) * pen.view.scale : 9;
  const size = Math.max(2, Math.min(5, 0.5 * apart)); // small enough to be told apart
  const groups = new Map();
  let last = null;
  for (let i = from; i < moment.n; i += 1) {
    const [px, py] = pen.px(x[i], y[i]);
    if (last && Math.abs(px - last[0]) + Math.abs(py - last[1]) < 1.5) continue;
    last = [px, py];
    const key = colours ? 8 * Math.round(index(v[i], run.values) / 8) : 0;
    if (!groups.has(key)) groups.set(key, new Path2D());
    const r = colours ? size + 1 : size;
    groups.get(key).rect(px - r / 2, py - r / 2, r, r);
  }
  for (const [key, path] of groups) {
    c.fillStyle = colours ? css(colours, Math.min(key, 255)) : DARK;
    c.fill(path);
  }
}

export function drawRejected(pen, run, moment) {
  const { x, y } = run.rejected;
  const path = new Path2D();
  const r = Math.max(1.5, Math.min(5, 0.8 * pen.view.scale));
  for (let i = 0, end = run.count(run.rejected, moment.t); i < end; i += 1) {
    if (x[i] === null) continue;
    const [px, py] = pen.px(x[i], y[i]);
    path.moveTo(px - r, py - r);
    path.lineTo(px + r, py + r);
    path.moveTo(px + r, py - r);
    path.lineTo(px - r, py + r);
  }
  [pen.c.strokeStyle, pen.c.lineWidth] = [RED, 1.1];
  pen.c.stroke(path);
}

export function drawPlan(pen, ahead, pose) {
  if (!ahead.length || !pose) return;
  const points = [[pose.x, pose.y], ...ahead];
  const path = pen.path(points.map((p) => p[0]), points.map((p) => p[1]), 0, points.length);
  pen.cased(path, { width: 2, colour: ORANGE, dash: [7, 6] });
  const [x, y] = pen.px(...ahead[0]);
  const target = new Path2D();
  target.arc(x, y, 8, 0, 7);
  target.moveTo(x + 2, y);
  target.arc(x, y, 2, 0, 7);
  pen.cased(target, { width: 2.5, colour: ORANGE });
}

// The whole way that a plan begins, thinner than the plan; and dashed the lawnmower that it was compared with.
export function drawForesight(pen, foresight, { route, lawnmower }) {
  const draw = (way, look) => pen.cased(pen.path(way.map((p) => p[0]), way.map((p) => p[1]), 0, way.length), look);
  if (lawnmower && foresight?.lawnmower) draw(foresight.lawnmower.way, { width: 1, colour: LIGHT, dash: [3, 5] });
  if (route && foresight) draw(foresight.route.way, { width: 1.5, colour: ORANGE, edge: "rgb(13 20 24 / 75%)" });
}

export function drawBoat(pen, pose) {
  if (!pose) return;
  const { c } = pen;
  const [x, y] = pen.px(pose.x, pose.y);
  c.save();
  c.translate(x, y);
  c.beginPath();
  if (pose.heading === null) c.arc(0, 0, 6, 0, 7);
  else {
    c.rotate(-pose.heading);
    c.moveTo(14, 0);
    c.quadraticCurveTo(4, -8, -9, -6.5);
    c.lineTo(-9, 6.5);
    c.quadraticCurveTo(4, 8, 14, 0);
  }
  c.closePath();
  [c.fillStyle, c.strokeStyle, c.lineWidth] = [LIGHT, DARK, 2.5];
  c.fill();
  c.stroke();
  c.restore();
}

export function drawOrder(pen, x, y, state) {
  const [px, py] = pen.px(x, y);
  const path = new Path2D();
  path.arc(px, py, 9, 0, 7);
  path.moveTo(px - 5, py);
  path.lineTo(px + 5, py);
  path.moveTo(px, py - 5);
  path.lineTo(px, py + 5);
  pen.cased(path, { width: 2, colour: state === "refused" || state === "unanswered" ? RED : LIGHT });
}

export function drawCursor(pen, cursor) {
  if (!cursor) return;
  const [x, y] = pen.px(...cursor).map((v) => Math.round(v) + 0.5);
  const path = new Path2D(`M${x - 14} ${y}H${x - 4}M${x + 4} ${y}H${x + 14}M${x} ${y - 14}V${y - 4}M${x} ${y + 4}V${y + 14}`);
  pen.cased(path, { width: 1.5 });
}

// A round length, and north.
export function drawScaleBar(pen, ink, back) {
  const { c, view, canvas } = pen;
  const wanted = Math.max(50, Math.min(140, 0.22 * canvas.clientWidth)) / view.scale;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const metres = [5, 2, 1].map((k) => k * power).find((k) => k <= wanted);
  const [width, x, y] = [metres * view.scale, 14, canvas.clientHeight - 14];
  const label = metres >= 1000 ? `${metres / 1000} km` : `${metres} m`;
  c.font = "600 14px system-ui, sans-serif";
  const box = Math.max(width, c.measureText(label).width) + 16;
  [c.fillStyle, c.globalAlpha] = [back, 0.86];
  c.beginPath();
  c.roundRect(x - 8, y - 26, box, 34, 6);
  c.roundRect(canvas.clientWidth - 40, 8, 32, 44, 6);
  c.fill();
  c.globalAlpha = 1;
  [c.fillStyle, c.strokeStyle, c.lineWidth, c.textAlign] = [ink, ink, 2.5, "left"];
  c.fillText(label, x, y - 9);
  c.beginPath();
  c.moveTo(x, y - 4);
  c.lineTo(x, y + 2);
  c.lineTo(x + width, y + 2);
  c.lineTo(x + width, y - 4);
  c.stroke();
  const north = canvas.clientWidth - 24;
  c.beginPath();
  c.moveTo(north, 13);
  c.lineTo(north + 7, 29);
  c.lineTo(north, 25);
  c.lineTo(north - 7, 29);
  c.fill();
  c.textAlign = "center";
  c.fillText("N", north, 46);
  c.textAlign = "left";
}
