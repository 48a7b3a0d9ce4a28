// How much of the area is known as well as an order of survey asks (IHO S-44), each place by its own depth.
import { insideOf } from "./area.js";
import { percent } from "./words.js";

const $ = (id) => document.getElementById(id);
const WITHIN = 1.96; // standard deviations on either side, for 95 %

export class Standard {
  constructor(changed) {
    $("order").addEventListener("change", changed);
  }

  // What the survey aims at is chosen first.
  begin({ survey }) {
    this.told = survey?.standard ?? null;
    if (!this.told) return;
    const { orders, order, edition, isNot } = this.told;
    $("order").replaceChildren(...orders.map(({ name, label }) => new Option(label, name, false, name === order)));
    $("order").title = edition;
    $("standard-not").textContent = isNot;
  }

  show(about, map) {
    $("standard").hidden = !map || !this.told;
    if (!map || !this.told) return;
    const { orders, order: aim, share: wanted, shared } = this.told;
    const order = orders.find(({ name }) => name === $("order").value);
    const share = shareMeeting(map.layers, insideOf(about, map.rows, map.columns), order, shared);
    const said = `${percent(share < 1 ? Math.min(share, 0.99) : share)} of the area`; // never 100 % of what is not whole
    const target = wanted && order.name === aim ? `; the target is ${percent(wanted)}.` : ".";
    if ($("order-share").textContent !== said) $("order-share").textContent = said;
    if ($("order-target").textContent !== target) $("order-target").textContent = target;
    $("order-share").dataset.value = share ?? "";
  }
}

export function shareMeeting({ mean, std }, inside, { a, b }, { metres, share }) {
  let [good, all] = [0, 0];
  for (let k = 0; k < std.length; k += 1) {
    if (!inside[k] || Number.isNaN(std[k])) continue;
    all += 1;
    if (WITHIN * Math.hypot(std[k], metres, share * mean[k]) <= Math.hypot(a, b * mean[k])) good += 1;
  }
  return all ? good / all : null;
}
