// The maps side by side, all of the same place at the same moment.
import { insideOf } from "./area.js";
import { paintScale, picture, table } from "./colours.js";
import { contours, drawContours, isolines } from "./contours.js";
import { between } from "./link.js";
import * as marks from "./marks.js";
import { showTicks } from "./ticks.js";
import { Trail } from "./trail.js";
import { capital } from "./words.js";

const NARROWEST = 300; // pixels that a caption with its scale needs

export const LAYERS = ["mean", "std", "truth", "error", "lengthscale"];

export function titles(about) {
  const units = about.units ? ` (${about.units})` : "";
  return {
    mean: `Predicted ${about.quantity}${units}`,
    std: about.units ? `Uncertainty (std, ${about.units})` : "Uncertainty (std)",
    truth: `True ${about.quantity}${units}`,
    error: `Absolute error${units}`,
    lengthscale: "Learnt lengthscale (m)",
  };
}

export class Panels {
  constructor(box, view, { run, link, draw, switches, extras, ruler, within }) {
    [this.box, this.view, this.run, this.link, this.draw] = [box, view, run, link, draw];
    [this.switches, this.extras, this.ruler, this.within] = [switches, extras, ruler, within];
    this.panels = [];
    this.shown = null; // the map that is on show, until a newer one has arrived
    this.pictures = new Map();
    this.trail = new Trail();
    new ResizeObserver(() => this.arrange()).observe(box);
  }

  show(layers) {
    this.box.replaceChildren();
    this.panels = layers.map((layer) => this.#make(layer));
    this.arrange();
  }

  #make(layer) {
    const figure = document.createElement("figure");
    figure.className = "panel";
    figure.innerHTML = '<figcaption><span class="title"></span><span class="scale"><canvas aria-hidden="true"></canvas><span class="ticks"></span></span></figcaption><div class="place"><canvas tabindex="0" role="application" aria-describedby="help"></canvas><p class="note" hidden></p></div>';
    const title = titles(this.run.about)[layer];
    figure.querySelector(".title").textContent = title;
    const canvas = figure.querySelector(".place canvas");
    canvas.setAttribute("aria-label", `Map: ${title}`);
    figure.dataset.layer = layer;
    const panel = { layer, figure, canvas, ticks: figure.querySelector(".ticks"), bar: figure.querySelector(".scale canvas"), note: figure.querySelector(".note"), colours: table(this.run.about.colours[layer]) };
    paintScale(panel.bar, panel.colours);
    this.view.listen(canvas);
    this.box.append(figure);
    return panel;
  }

  // As many columns as make the maps largest.
  arrange() {
    const count = this.panels.length;
    if (!count) return;
    const { about } = this.run;
    const aspect = (about.upper[0] - about.lower[0]) / (about.upper[1] - about.lower[1]);
    const { clientWidth: width } = this.box;
    const height = this.#height(count, aspect, width);
    let best = [0, 1];
    for (let columns = 1; columns <= count; columns += 1) {
      const rows = Math.ceil(count / columns);
      const across = (width - 10 * (columns - 1)) / columns;
      const size = Math.min(across / aspect, (height - 10 * (rows - 1)) / rows - 40) * (across < NARROWEST ? 0.5 : 1);
      if (size > best[0]) best = [size, columns];
    }
    this.box.style.gridTemplateColumns = `repeat(${best[1]}, minmax(0, 1fr))`;
    this.box.style.gridTemplateRows = `repeat(${Math.ceil(count / best[1])}, minmax(0, 1fr))`;
    if (this.view.fitted) this.fit();
    this.draw();
  }

  // On a small screen the page is scrolled, and maps are as high as is good for them; else they share what there is.
  #height(count, aspect, width) {
    const small = window.matchMedia("(max-width: 860px)").matches;
    const most = window.innerHeight * (count > 1 ? 0.44 : 0.62);
    const each = Math.max(Math.min(width / aspect + 50, most), 0.4 * window.innerHeight, 240);
    this.box.style.height = small ? `${Math.round(count * each + 10 * (count - 1))}px` : "";
    return this.box.clientHeight;
  }

  fit() {
    const canvas = this.panels[0]?.canvas;
    if (canvas?.clientWidth) this.view.fit(this.run.about, canvas.clientWidth, canvas.clientHeight);
  }

  // The values of a layer on show: mean and so on from the map, the truth beside it, the error between them.
  values(layer) {
    const map = this.shown?.map;
    if (!map) return null;
    if (layer !== "truth" && layer !== "error") return map.layers[layer] ?? null;
    const truth = map.layers.truth ?? this.truth(map)?.layers.truth;
    if (!truth || layer === "truth") return truth ?? null;
    const { mean } = map.layers;
    return (map.error ??= mean.map((value, i) => Math.abs(value - truth[i])));
  }

  // The truth on a map's own grid: from the final map if there is one, else akrig is asked.
  truth(map) {
    const { model } = this.run.status;
    const final = model?.layers.includes("truth") ? this.link.map(`model-${model.epoch}`, this.draw) : null;
    if (!model?.layers.includes("truth")) return this.link.map(`truth-${map.rows}/${map.columns}`, this.draw);
    if (!final) return null;
    map.truth ??= { ...map, layers: { truth: resampled(final, "truth", map, this.run.about) } };
    return map.truth;
  }

  range(layer) {
    if (layer === "std" || layer === "error") return [0, this.run.doubt];
    const [low, high] = this.run.values;
    if (layer !== "lengthscale") return low <= high ? [low, high] : [0, 1];
    const values = this.values(layer);
    return [0, values ? values.reduce((top, v) => (v > top ? v : top), 0) || 1 : 1];
  }

  paint(moment, ahead, cursor) {
    const { frame } = moment;
    if (!frame) this.shown = null;
    else if (this.shown?.id !== frame.id) {
      const map = this.link.map(frame.id, this.draw);
      if (map) this.shown = { id: frame.id, map, frame };
    }
    const style = getComputedStyle(document.documentElement);
    const theme = { ink: style.getPropertyValue("--ink"), back: style.getPropertyValue("--surface") };
    document.body.classList.toggle("fitted", this.view.fitted);
    for (const panel of this.panels) this.#paint(panel, moment, ahead, cursor, theme);
  }

  #paint(panel, moment, ahead, cursor, theme) {
    const { canvas, layer } = panel;
    const { run, view } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (!width || !height) return; // while a window changes, there may be no room
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const c = canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    const pen = new marks.Pen(c, view, canvas);
    const values = this.values(layer);
    if (this.switches.on.background) this.extras.paint(pen);
    c.save();
    marks.clipToArea(pen, run.about);
    if (values) this.#paintMap(pen, layer, values, panel.colours);
    if (values) panel.figure.dataset.labels = this.#paintLines(pen, layer, values);
    c.restore();
    this.#label(panel, values, moment);
    marks.drawArea(pen, run.about, run.about.survey?.home ?? run.status.home, theme.ink);
    if (layer !== "truth") {
      if (this.switches.on.track) c.drawImage(this.trail.picture(run, view, canvas, ratio, moment), 0, 0, canvas.clientWidth, canvas.clientHeight);
      if (layer === "mean" && !values) marks.drawReadings(pen, run, moment, { colours: panel.colours });
      if (layer === "mean" && this.switches.on.rejected) marks.drawRejected(pen, run, moment);
    }
    marks.drawScaleBar(pen, theme.ink, theme.back);
    marks.drawForesight(pen, run.foresight(moment), this.switches.on);
    marks.drawPlan(pen, ahead, moment.pose);
    const { orders } = run;
    for (let i = 0; i < orders.length; i += 1) {
      if (orders.x[i] !== null && (orders.state[i] === "pending" || i === orders.length - 1)) marks.drawOrder(pen, orders.x[i], orders.y[i], orders.state[i]);
    }
    marks.drawBoat(pen, moment.pose);
    this.ruler.paint(pen, cursor);
    marks.drawCursor(pen, cursor);
  }

  // Pixels are centred on the points of the grid, the outermost of which lie on the border.
  #paintMap(pen, layer, values, colours) {
    const { map, id } = this.shown;
    const range = this.range(layer);
    const key = `${layer} ${id} ${range}`;
    let image = this.pictures.get(key);
    if (!image) {
      const whole = this.run.about.survey ? grown(values, map.rows, map.columns) : values;
      image = picture(whole, map.rows, map.columns, range, colours);
      this.pictures.set(key, image);
      if (this.pictures.size > 24) this.pictures.delete(this.pictures.keys().next().value);
    }
    const { lower, upper } = this.run.about;
    const [dx, dy] = [(upper[0] - lower[0]) / (map.columns - 1) / 2, (upper[1] - lower[1]) / (map.rows - 1) / 2];
    const [left, bottom] = pen.px(lower[0] - dx, lower[1] - dy);
    const [right, top] = pen.px(upper[0] + dx, upper[1] + dy);
    pen.c.imageSmoothingQuality = "high";
    pen.c.drawImage(image, left, top, right - left, bottom - top);
  }

  // Contours of what is mapped; on the uncertainty, the border of what is known as well as is wanted.
  #paintLines(pen, layer, values) {
    if (!this.switches.on.contours || layer === "error" || layer === "lengthscale") return 0;
    const { rows, columns } = this.shown.map;
    const { about } = this.run;
    const [dx, dy] = [(about.upper[0] - about.lower[0]) / (columns - 1), (about.upper[1] - about.lower[1]) / (rows - 1)];
    const toPixels = (column, row) => pen.px(about.lower[0] + column * dx, about.lower[1] + row * dy);
    const { target } = this.within;
    const found = layer === "std" ? { levels: target ? [{ level: target, isFifth: true, lines: isolines(values, rows, columns, target) }] : [] } : contours(values, rows, columns, { inside: insideOf(about, rows, columns) });
    return drawContours(pen.c, found, toPixels, (level) => String(level).replace("-", "\u2212"));
  }

  #label(panel, values, moment) {
    const range = this.range(panel.layer);
    const waits = !values && (panel.layer !== "mean" || !this.run.readings.length);
    panel.bar.parentElement.style.visibility = waits ? "hidden" : "visible";
    if (!waits) showTicks(panel.ticks, range);
    const note = values ? "" : this.#why(panel.layer, moment);
    if (panel.note.textContent !== note) panel.note.textContent = note;
    panel.note.hidden = !note;
  }

  #why(layer, moment) {
    if (!moment.frame) return layer === "mean" && moment.n ? "Readings so far; the map comes after the pilot pass." : "Comes with the first map, after the pilot pass.";
    if (layer === "lengthscale" && this.shown) return "Known for the latest map only.";
    return capital("loading \u2026");
  }
}

function resampled(from, name, { rows, columns }, about) {
  const [w, h] = [about.upper[0] - about.lower[0], about.upper[1] - about.lower[1]];
  return Float32Array.from({ length: rows * columns }, (_, k) => {
    const [i, j] = [Math.floor(k / columns), k % columns];
    return between(from, name, about, about.lower[0] + (w * j) / (columns - 1), about.lower[1] + (h * i) / (rows - 1)) ?? NaN;
  });
}

// Values beside the area's edge carried a little outwards, so that colours reach the fence.
function grown(values, rows, columns) {
  let now = values;
  for (let pass = 0; pass < 2; pass += 1) {
    const next = Float32Array.from(now);
    for (let i = 0; i < rows; i += 1) {
      for (let j = 0; j < columns; j += 1) {
        if (!Number.isNaN(now[i * columns + j])) continue;
        let [sum, count] = [0, 0];
        for (let a = Math.max(0, i - 1); a <= Math.min(rows - 1, i + 1); a += 1) {
          for (let b = Math.max(0, j - 1); b <= Math.min(columns - 1, j + 1); b += 1) {
            const value = now[a * columns + b];
            if (!Number.isNaN(value)) [sum, count] = [sum + value, count + 1];
          }
        }
        if (count) next[i * columns + j] = sum / count;
      }
    }
    now = next;
  }
  return now;
}
