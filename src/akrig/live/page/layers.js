// Which maps are on show: several side by side, or one at a time on a phone.
import { LAYERS, titles } from "./panels.js";

const NAMES = { mean: "Prediction", std: "Uncertainty", truth: "Truth", error: "Error", lengthscale: "Lengthscale" };
const PHONE = "(max-width: 600px)";

export class Layers {
  constructor(box, panels) {
    [this.box, this.panels] = [box, panels];
    this.phone = window.matchMedia(PHONE);
    this.phone.addEventListener("change", () => this.#show());
  }

  begin(about) {
    this.possible = LAYERS.filter((layer) => (about.simulated || !["truth", "error"].includes(layer)) && (about.hasLengthscale || layer !== "lengthscale"));
    this.wanted = about.simulated && !about.survey ? ["mean", "std", "truth", "error"] : ["mean", "std"];
    this.first = "mean";
    this.box.replaceChildren(...this.possible.map((layer) => this.#button(layer, titles(about)[layer])));
    this.#show();
  }

  #button(layer, title) {
    const button = document.createElement("button");
    [button.type, button.textContent, button.title, button.dataset.layer] = ["button", NAMES[layer], title, layer];
    button.addEventListener("click", () => this.#toggle(layer));
    return button;
  }

  #toggle(layer) {
    if (this.phone.matches) this.first = layer;
    else {
      const wanted = this.wanted.includes(layer) ? this.wanted.filter((other) => other !== layer) : this.possible.filter((other) => other === layer || this.wanted.includes(other));
      if (wanted.length) this.wanted = wanted;
    }
    this.#show();
  }

  #show() {
    if (!this.wanted) return;
    const shown = this.phone.matches ? [this.first] : this.wanted;
    for (const button of this.box.children) button.setAttribute("aria-pressed", String(shown.includes(button.dataset.layer)));
    this.panels.show(shown);
  }
}
