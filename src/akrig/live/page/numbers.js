// How far the mission is, and how the boat is.
import { DASH, amount, clock, fixed, length, percent, plain } from "./words.js";

const MODES = {
  GUIDED: "steered by akrig", HOLD: "holding", LOITER: "keeping its place", RTL: "returning by itself", MANUAL: "steered by hand",
  INITIALISING: "starting up", AUTO: "on its own mission",
};

export function showNumbers(box, run, moment) {
  const { about } = run;
  const { budget, units, survey } = about;
  const left = 1 - run.spent(moment);
  const rejected = run.count(run.rejected, moment.t);
  const heard = run.heard.n?.[run.count(run.heard, moment.t) - 1];
  const of = (limit, words) => (limit ? `of ${words}` : "");
  const target = survey?.target;
  const doubt = moment.score?.uncertainty;
  const tiles = [
    ["Readings", fixed(moment.n, 0), budget.readings ? of(budget.readings, fixed(budget.readings, 0)) : rejected ? refused(rejected, heard) : ""],
    ["Distance", length(run.distance(moment)), of(budget.distance, length(budget.distance))],
    ["Time", clock(moment.t).replaceAll("\u00a0", " "), of(budget.time, clock(budget.time))],
    ["Uncertainty", amount(doubt, units), target ? `target ${amount(target, units, 2)}` : "on average"],
    about.simulated ? ["RMSE", amount(moment.score?.rmse, units), "typical error"] : ["Soundings", fixed(run.status.soundings, 0), "in all"],
    ["Per leg", thinking(run, moment), moment.epochs ? "plan and learn" : "after the pilot pass"],
  ];
  const html = tiles.map(([name, value, more]) => tile(name, value, more));
  html.push(`<div class="wide"><dt>Budget left</dt><dd><span>${percent(left)}</span><span class="meter"><i></i></span></dd></div>`);
  html.push(planned(run.foresight(moment), units));
  html.push(trust(moment.score?.foretold));
  const text = html.join("");
  if (box.dataset.text !== text) {
    box.dataset.text = text;
    box.innerHTML = text;
  }
  box.querySelector(".meter i").style.width = `${100 * left}%`;
}

// What the planner expects of its route, beside the best lawnmower of the same length.
function planned(foresight, units) {
  if (!foresight) return "";
  const { route, lawnmower, isShare } = foresight;
  const told = ({ error }) => (isShare ? percent(error) : amount(error, units));
  const said = isShare ? `expected to leave ${told(route)} of what is not known` : `expected error ${told(route)}`;
  const beside = lawnmower ? `; lawnmower as long ${told(lawnmower)}` : "";
  return `<div class="wide said route"><dt>Planned route</dt><dd>${length(route.metres)}: ${plain(said + beside)}.</dd></div>`;
}

// How far a map can be trusted: by readings that it did not know yet.
function trust(foretold) {
  if (!Number.isFinite(foretold)) return "";
  const told = `${percent(foretold)} of the latest readings lay inside the 95 % interval foretold for them`;
  const level = foretold < 0.88 ? "warning" : "";
  const advice = level ? ": the map is too sure of itself, do not rely on its uncertainty." : ": its uncertainty can be relied on.";
  return `<div class="wide said trust" data-level="${level}"><dt>Trust</dt><dd>${told}${advice}</dd></div>`;
}

const tile = (name, value, more) => `<div><dt>${name}</dt><dd>${plain(value)}<small>${plain(more) || "&nbsp;"}</small></dd></div>`;

// A share of the soundings, of which readings are only some; logs that are replayed have readings only.
const refused = (count, heard) => `${heard ? percent(Math.min(count / heard, 1)) : fixed(count, 0)} rejected`;

// Seconds for planning and learning, over the last legs.
function thinking(run, moment) {
  const { plan, fit, epoch } = run.timings;
  if (!epoch) return DASH;
  let [sum, count] = [0, 0];
  for (let i = epoch.length - 1; i >= 0 && count < 10; i -= 1) {
    if (epoch[i] >= moment.epochs || (epoch[i] === 0 && count)) continue;
    [sum, count] = [sum + plan[i] + fit[i], count + 1];
  }
  return count ? amount(sum / count, "s", 2) : DASH;
}

export function showHealth(box, run, moment, latest) {
  const { boat } = moment;
  if (!run.about.survey || !boat) return;
  box.hidden = false;
  const over = latest && run.status.state === "over";
  const signs = [
    ["Boat", MODES[boat.mode] ?? (boat.mode || DASH), boat.armed ? `motors on, ${fixed(boat.speed, 1)} m/s` : "motors off", boat.waiting ? "warning" : ""],
    battery(boat, run.about.survey),
    connection(run, boat, latest),
    gps(boat, run.about.survey),
    sonar(run, moment),
  ].map((sign) => (over ? atTheEnd(sign) : sign));
  const text = signs.map(([name, value, more, level]) => `<div class="sign" data-level="${level}"><span class="name">${name}</span><b>${plain(value)}</b><span class="more">${plain(more)}</span></div>`).join("");
  const waiting = over ? "" : boat.waiting;
  if (box.dataset.text === text + waiting) return;
  box.dataset.text = text + waiting;
  box.innerHTML = text;
  if (waiting) {
    const why = document.createElement("p");
    why.className = "why";
    why.textContent = waiting;
    box.append(why);
  }
}

// Nobody listens to the boat any more: what it said last is no news, good or bad.
const atTheEnd = ([name, value]) => (name === "Link" ? [name, "closed", "the survey is finished", "none"] : [name, value, "at the end", "none"]);

function battery(boat, { battery: least }) {
  if (boat.battery === null) return ["Battery", DASH, "not told", "none"];
  const level = boat.battery < least ? "alarm" : boat.battery < least + 0.1 ? "warning" : "";
  return ["Battery", percent(boat.battery), boat.voltage === null ? "" : `${fixed(boat.voltage, 1)} V`, level];
}

function connection(run, boat, latest) {
  const { linkTimeout } = run.about.survey;
  const lost = boat.silence > linkTimeout;
  if (latest && run.status.state === "stopped") return ["Link", "none", "the survey is not running", "alarm"];
  return ["Link", lost ? "lost" : "good", `heard ${fixed(boat.silence, 1)} s ago`, lost ? "alarm" : ""];
}

function gps(boat, { maxHdop }) {
  if (boat.fix === null) return ["GPS", DASH, "not told", "none"];
  if (boat.fix < 3) return ["GPS", "no fix", `${boat.satellites ?? 0} satellites`, "alarm"];
  const coarse = boat.hdop > maxHdop;
  return ["GPS", coarse ? "coarse" : "good", `${boat.satellites ?? DASH} satellites`, coarse ? "warning" : ""];
}

function sonar(run, moment) {
  const count = run.count(run.heard, moment.t);
  const silent = count ? moment.t - run.heard.t[count - 1] : moment.t;
  const depth = moment.boat.depth === null ? DASH : `${fixed(moment.boat.depth, 2)} m`;
  if (silent > run.about.survey.silence) return ["Sonar", "silent", `for ${clock(silent)}`, "alarm"];
  if (silent > 8) return ["Sonar", depth, `no sounding for ${clock(silent)}`, "warning"];
  return ["Sonar", depth, "below the boat", ""];
}
