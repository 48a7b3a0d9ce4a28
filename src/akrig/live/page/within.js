// How much of the area is known as well as is wanted.
import { insideOf } from "./area.js";
import { percent } from "./words.js";

const $ = (id) => document.getElementById(id);

export class Within {
  constructor(changed) {
    this.changed = changed;
    $("target").addEventListener("input", changed);
  }

  // What the survey aims at; else a round number near what the map has reached.
  begin({ survey, units }) {
    $("target-units").textContent = units;
    if (survey?.target) $("target").value = survey.target;
  }

  get target() {
    const value = Number($("target").value);
    return value > 0 ? value : null;
  }

  show(about, map) {
    $("within").hidden = !map;
    if (!map) return;
    const { std } = map.layers;
    const inside = insideOf(about, map.rows, map.columns);
    if (!this.target && document.activeElement !== $("target")) {
      $("target").value = middling(std, inside);
      this.changed(); // its border is drawn on the map
    }
    const share = this.target ? shareWithin(std, inside, this.target) : null;
    const said = percent(share);
    if ($("within-share").textContent !== said) $("within-share").textContent = said;
    $("within-share").dataset.value = share ?? "";
  }
}

export function shareWithin(std, inside, target) {
  let [good, all] = [0, 0];
  for (let k = 0; k < std.length; k += 1) {
    if (!inside[k] || Number.isNaN(std[k])) continue;
    all += 1;
    if (std[k] <= target) good += 1;
  }
  return all ? good / all : null;
}

function middling(std, inside) {
  let [sum, all] = [0, 0];
  for (let k = 0; k < std.length; k += 1) if (inside[k] && !Number.isNaN(std[k])) [sum, all] = [sum + std[k], all + 1];
  return all ? Number((sum / all).toPrecision(2)) : "";
}
