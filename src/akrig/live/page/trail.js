// Track and readings, drawn once for all maps, and then only what is new: a long mission has twenty thousand of them.
import { Pen, drawReadings, drawTrack } from "./marks.js";

export class Trail {
  constructor() {
    this.canvas = document.createElement("canvas");
    [this.key, this.moment] = ["", null];
  }

  // A picture as large as `canvas`, to be laid over it.
  picture(run, view, canvas, ratio, moment) {
    const key = [view.x, view.y, view.scale, canvas.width, canvas.height, ratio, run.revision].join(" ");
    const goesOn = key === this.key && moment.t >= this.moment.t;
    const before = goesOn ? this.moment : null;
    if (before && before.t === moment.t && before.n === moment.n) return this.canvas;
    if (!goesOn) [this.canvas.width, this.canvas.height] = [canvas.width, canvas.height];
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const pen = new Pen(context, view, canvas);
    drawTrack(pen, run, moment, before);
    drawReadings(pen, run, moment, { from: before?.n ?? 0 });
    [this.key, this.moment] = [key, { t: moment.t, n: moment.n }];
    return this.canvas;
  }
}
