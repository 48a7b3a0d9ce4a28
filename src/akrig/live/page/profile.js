// A cut through the map: what it says along the track, or along a line that a person draws.
import { between } from "./link.js";
import { distanceWords } from "./ruler.js";
import { roundNumbers } from "./ticks.js";
import { amount, capital, fixed, length } from "./words.js";

const $ = (id) => document.getElementById(id);
const ON_A_LINE = 240; // places
const ON_A_TRACK = 1200;

export class Profile {
  constructor({ run, panels, view, ruler, draw }) {
    [this.run, this.panels, this.view, this.ruler, this.draw] = [run, panels, view, ruler, draw];
    [this.open, this.along, this.at, this.cut] = [false, "track", null, null];
    this.canvas = document.querySelector("#profile canvas");
    for (const along of ["track", "line"]) $(`along-${along}`).addEventListener("click", () => this.show(along));
    this.canvas.addEventListener("pointermove", (event) => this.#point(event));
    this.canvas.addEventListener("pointerdown", (event) => this.#point(event));
    this.canvas.addEventListener("pointerleave", () => this.#leave());
  }

  show(along) {
    [this.open, this.along] = [true, along];
    if (along === "line" && !this.ruler.on) this.ruler.use(true);
    this.draw();
  }

  close() {
    this.open = false;
    this.draw();
  }

  // The crosshair of the maps follows the pointer along the cut.
  #point(event) {
    if (!this.cut?.metres.length) return;
    const { left, right } = this.frame;
    const share = (event.clientX - this.canvas.getBoundingClientRect().left - left) / (right - left);
    const wanted = Math.min(1, Math.max(0, share)) * this.cut.whole;
    const found = this.cut.metres.findIndex((metres) => metres >= wanted);
    this.at = found < 0 ? this.cut.metres.length - 1 : found;
    this.view.cursor = this.cut.places[this.at];
    this.draw();
  }

  #leave() {
    this.at = null;
    this.draw();
  }

  paint(moment) {
    $("profile").hidden = !this.open;
    if (!this.open) return;
    const { about } = this.run;
    for (const along of ["track", "line"]) $(`along-${along}`).setAttribute("aria-pressed", String(along === this.along));
    this.cut = this.along === "track" ? this.#track(moment) : this.#line();
    const title = this.along === "track" ? `${capital(about.quantity)} along the track, ${length(this.cut.whole)}` : this.ruler.line ? `${capital(about.quantity)} along the line, ${distanceWords(this.ruler.line)}` : this.ruler.hint;
    if ($("profile-title").textContent !== title) $("profile-title").textContent = title;
    if (this.at !== null && this.at >= this.cut.metres.length) this.at = null;
    $("profile-at").textContent = this.at === null ? this.#legend() : this.#words();
    this.#draw();
  }

  #legend() {
    const has = (name) => this.cut[name].some((value) => value !== null);
    const parts = [has("readings") && "dots: readings", has("mean") && "line: predicted, shaded: one std either side", has("truth") && "dashed: truth"];
    return capital(parts.filter(Boolean).join("; "));
  }

  #words() {
    const { cut, at } = this;
    const { units } = this.run.about;
    const said = [`at ${length(cut.metres[at])}`];
    if (cut.mean[at] !== null) said.push(`predicted ${amount(cut.mean[at], units, 4)} \u00b1 ${amount(cut.std[at], units, 2)}`);
    if (cut.readings[at] !== null) said.push(`reading ${amount(cut.readings[at], units, 4)}`);
    return capital(said.join(", "));
  }

  #track({ n }) {
    const { x, y, v } = this.run.readings;
    const step = Math.max(1, Math.ceil(n / ON_A_TRACK));
    const rows = Array.from({ length: Math.ceil(n / step) }, (_, k) => k * step);
    return this.#cut(rows.map((i) => [x[i], y[i]]), rows.map((i) => this.run.metres[i]), rows.map((i) => v[i]));
  }

  #line() {
    if (!this.ruler.line) return this.#cut([], [], []);
    const [[ax, ay], [bx, by]] = this.ruler.line;
    const shares = Array.from({ length: ON_A_LINE }, (_, k) => k / (ON_A_LINE - 1));
    const places = shares.map((s) => [ax + s * (bx - ax), ay + s * (by - ay)]);
    return this.#cut(places, shares.map((s) => s * Math.hypot(bx - ax, by - ay)), shares.map(() => null));
  }

  #cut(places, metres, readings) {
    const { about } = this.run;
    const map = this.panels.shown?.map;
    const truth = map && about.simulated ? (map.layers.truth ? map : this.panels.truth(map)) : null;
    const of = (from, name) => places.map(([x, y]) => (from ? between(from, name, about, x, y) : null));
    return { places, metres, readings, mean: of(map, "mean"), std: of(map, "std"), truth: of(truth, "truth"), whole: metres[metres.length - 1] ?? 0 };
  }

  #draw() {
    const { canvas, cut } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const c = canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const bounds = range(cut);
    this.frame = { left: 46, right: width - 12, top: 8, bottom: height - 20 };
    canvas.dataset.places = cut.metres.length;
    if (!bounds) return;
    const { left, right, top, bottom } = this.frame;
    const [low, high] = bounds;
    const isDown = this.run.about.quantity === "depth"; // deeper is lower
    const x = (metres) => left + (metres / (cut.whole || 1)) * (right - left);
    const y = (value) => (isDown ? top + ((value - low) / (high - low)) * (bottom - top) : bottom - ((value - low) / (high - low)) * (bottom - top));
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name);
    axes(c, this.frame, { x, y, low, high, whole: cut.whole, units: this.run.about.units, soft: colour("--soft"), line: colour("--line") });
    c.save();
    c.beginPath();
    c.rect(left, top - 4, right - left, bottom - top + 8);
    c.clip();
    [c.fillStyle, c.globalAlpha] = [colour("--accent"), 0.22];
    c.fill(band(cut, x, y));
    c.globalAlpha = 1;
    [c.strokeStyle, c.lineWidth, c.lineJoin] = [colour("--accent"), 2.2, "round"];
    c.stroke(curve(cut.metres, cut.mean, x, y));
    c.setLineDash([6, 4]);
    [c.strokeStyle, c.lineWidth] = [colour("--ink"), 1.4];
    c.stroke(curve(cut.metres, cut.truth, x, y));
    c.setLineDash([]);
    c.fillStyle = colour("--ink");
    for (let k = 0; k < cut.metres.length; k += 1) if (cut.readings[k] !== null) c.fillRect(x(cut.metres[k]) - 1, y(cut.readings[k]) - 1, 2, 2);
    c.restore();
    if (this.at !== null) {
      [c.strokeStyle, c.lineWidth] = [colour("--ink"), 1];
      c.stroke(new Path2D(`M${x(cut.metres[this.at])} ${top}V${bottom}`));
    }
    canvas.setAttribute("aria-label", `${$("profile-title").textContent}: from ${amount(low, this.run.about.units)} to ${amount(high, this.run.about.units)}`);
  }
}

function range({ mean, std, truth, readings }) {
  let [low, high] = [Infinity, -Infinity];
  const take = (value) => {
    if (value === null || !Number.isFinite(value)) return;
    if (value < low) low = value;
    if (value > high) high = value;
  };
  for (let k = 0; k < mean.length; k += 1) {
    [truth[k], readings[k]].forEach(take);
    if (mean[k] !== null) [mean[k] - std[k], mean[k] + std[k]].forEach(take);
  }
  if (low > high) return null;
  const margin = 0.04 * (high - low) || 0.5;
  return [low - margin, high + margin];
}

function axes(c, { left, right, top, bottom }, { x, y, low, high, whole, units, soft, line }) {
  [c.font, c.lineWidth, c.strokeStyle, c.fillStyle, c.textAlign] = ["12px system-ui, sans-serif", 1, line, soft, "right"];
  const values = roundNumbers(low, high, 4);
  for (const value of values.numbers) {
    c.stroke(new Path2D(`M${left} ${Math.round(y(value)) + 0.5}H${right}`));
    c.fillText(fixed(value, values.decimals), left - 6, y(value) + 4);
  }
  c.textAlign = "left";
  c.fillText(units, 4, top + 4);
  c.textAlign = "center";
  const ways = roundNumbers(0, whole, Math.max(2, (right - left) / 120));
  for (const metres of ways.numbers) c.fillText(`${fixed(metres, ways.decimals)}\u00a0m`, Math.min(Math.max(x(metres), left + 10), right - 18), bottom + 16);
  c.textAlign = "left";
}

function curve(metres, values, x, y) {
  const path = new Path2D();
  let isDown = false;
  for (let k = 0; k < metres.length; k += 1) {
    if (values[k] !== null) path[isDown ? "lineTo" : "moveTo"](x(metres[k]), y(values[k]));
    isDown = values[k] !== null;
  }
  return path;
}

// One standard deviation to either side, in parts where the map says nothing between.
function band({ metres, mean, std }, x, y) {
  const path = new Path2D();
  for (let k = 1; k < metres.length; k += 1) {
    if (mean[k] === null || mean[k - 1] === null) continue;
    const [a, b] = [x(metres[k - 1]), x(metres[k])];
    path.moveTo(a, y(mean[k - 1] - std[k - 1]));
    path.lineTo(b, y(mean[k] - std[k]));
    path.lineTo(b, y(mean[k] + std[k]));
    path.lineTo(a, y(mean[k - 1] + std[k - 1]));
    path.closePath();
  }
  return path;
}
