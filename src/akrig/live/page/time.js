// Which moment of the mission is on show: the latest, or any other, still or playing.
import { clock } from "./words.js";

const $ = (id) => document.getElementById(id);

export class Time {
  constructor(run, changed) {
    [this.run, this.changed] = [run, changed];
    [this.t, this.latest, this.playing] = [0, true, false];
    $("time").addEventListener("input", () => {
      this.stop();
      this.go(Number($("time").value), false);
    });
    $("now").addEventListener("click", () => {
      this.stop();
      this.go(this.run.end, true);
    });
    $("play").addEventListener("click", () => (this.playing ? this.stop() : this.play()));
  }

  go(t, latest) {
    [this.t, this.latest] = [t, latest];
    this.changed();
  }

  // After news: the latest stays the latest.
  follow() {
    if (this.latest) this.t = this.run.end;
    this.changed();
  }

  play() {
    if (this.t >= this.run.end) this.t = 0;
    [this.playing, this.latest] = [true, false];
    let before = performance.now();
    const step = (now) => {
      if (!this.playing) return;
      const whole = Number($("speed").value);
      const rate = whole ? this.run.end / whole : 1;
      this.t += (rate * (now - before)) / 1000;
      before = now;
      if (this.t >= this.run.end) {
        this.stop();
        this.go(this.run.end, true);
        return;
      }
      this.changed();
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
    this.changed();
  }

  stop() {
    this.playing = false;
    this.changed();
  }

  show() {
    const slider = $("time");
    slider.max = this.run.end;
    slider.value = this.t;
    const text = `${clock(this.t)} of ${clock(this.run.end)}`;
    $("clock").textContent = `${clock(this.t)} / ${clock(this.run.end)}`;
    slider.setAttribute("aria-valuetext", text);
    $("now").setAttribute("aria-pressed", String(this.latest));
    $("play").textContent = this.playing ? "\u275a\u275a" : "\u25b6";
    $("play").setAttribute("aria-label", this.playing ? "Pause" : "Play");
  }
}
