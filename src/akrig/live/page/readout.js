// What is known about the place at the crosshair: at once from the map on show, then by the model itself.
import { between } from "./link.js";
import { DASH, amount, degrees, place } from "./words.js";

const $ = (id) => document.getElementById(id);

export class Readout {
  constructor(run, link, panels) {
    [this.run, this.link, this.panels] = [run, link, panels];
    [this.asking, this.again, this.said, this.key] = [false, false, null, ""];
  }

  show(cursor, moment, rejectedToo) {
    const { about } = this.run;
    $("at-value-name").textContent = `Predicted ${about.quantity}`;
    $("at-length-part").hidden = !about.hasLengthscale;
    $("at-truth-part").hidden = !about.simulated;
    if (!cursor) return;
    const { shown } = this.panels;
    const key = `${cursor} ${shown?.id}`;
    if (key !== this.key) {
      this.key = key;
      this.said = null;
      this.#ask(cursor, shown?.frame);
    }
    const here = (name) => this.said?.[name] ?? (shown && !this.said ? between(shown.map, name, about, ...cursor) : null);
    const near = rejectedToo ? this.#rejected(cursor, moment) : null;
    write("at-place", place(...cursor, about));
    write("at-degrees", near ? `Rejected: ${near}` : degrees(this.said?.degrees) || " ");
    write("at-value", amount(here("mean"), about.units, 4), here("mean"));
    write("at-std", amount(here("std"), about.units, 3), here("std"));
    write("at-length", amount(here("lengthscale"), "m"), here("lengthscale"));
    if (about.simulated) write("at-truth", amount(this.#truth(shown, cursor), about.units, 4));
    write("at-source", this.#source(shown));
  }

  #truth(shown, cursor) {
    const map = shown && (shown.map.layers.truth ? shown.map : this.panels.truth(shown.map));
    return map ? between(map, "truth", this.run.about, ...cursor) : null;
  }

  #source(shown) {
    if (!shown) return "no map yet";
    if (this.said?.source === "none") return "outside the map";
    const readings = `${shown.map.readings} readings`;
    if (this.said?.source === "model") return `the model after ${readings}`;
    return this.said || !shown.frame.model ? `the map after ${readings}` : `asking the model \u2026`;
  }

  // The reason of a rejected reading under the crosshair.
  #rejected([x, y], moment) {
    const { rejected } = this.run;
    const reach = 6 / this.panels.view.scale;
    for (let i = this.run.count(rejected, moment.t) - 1; i >= 0; i -= 1) {
      if (rejected.x[i] !== null && Math.hypot(rejected.x[i] - x, rejected.y[i] - y) < reach) return rejected.reason[i];
    }
    return null;
  }

  // One question at a time; the latest is asked when the answer before it has come.
  async #ask(cursor, frame) {
    if (this.asking) {
      this.again = true;
      return;
    }
    const key = this.key;
    this.asking = true;
    try {
      const said = await this.link.at(...cursor, frame);
      if (said && key === this.key) this.said = said;
    } catch {
      // the page says elsewhere that akrig is gone
    }
    this.asking = false;
    if (this.again) {
      this.again = false;
      this.key = "";
    }
    this.panels.draw();
  }
}

function write(id, text, value) {
  const part = $(id);
  if (part.textContent !== text) part.textContent = text || DASH;
  if (value !== undefined) part.dataset.value = value ?? "";
}
