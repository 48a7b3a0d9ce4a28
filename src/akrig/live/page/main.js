// Everything meets here: news come in, one moment is on show, one picture is drawn when something changed.
import { drawCharts, makeCharts } from "./charts.js";
import { Controls } from "./controls.js";
import { Link } from "./link.js";
import { showLog } from "./log.js";
import { showHealth, showNumbers } from "./numbers.js";
import { LAYERS, Panels, titles } from "./panels.js";
import { Readout } from "./readout.js";
import { Run } from "./run.js";
import { startTheme } from "./theme.js";
import { Time } from "./time.js";
import { View } from "./view.js";
import { capital, clock } from "./words.js";

const $ = (id) => document.getElementById(id);
const run = new Run();
let [connected, due, charts, layers] = [true, false, [], []];

function draw() {
  if (due || !run.about) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    paint();
  });
}

const view = new View({ moved: draw, pointed: draw, chosen: (x, y) => controls.chosen(x, y) });
const time = new Time(run, draw);
const link = new Link({ news, state });
const panels = new Panels($("panels"), view, { run, link, draw });
const readout = new Readout(run, link, panels);
const controls = new Controls(link, run);
view.fitAll = () => {
  panels.fit();
  draw();
};
startTheme(draw);
$("zoom-in").addEventListener("click", () => view.zoom(1.4, panels.panels[0].canvas));
$("zoom-out").addEventListener("click", () => view.zoom(1 / 1.4, panels.panels[0].canvas));
$("zoom-fit").addEventListener("click", () => view.fitAll());

function news(message) {
  const first = !run.about;
  run.take(message);
  if (first) begin();
  time.follow();
  controls.show();
  showState();
}

function begin() {
  const { about } = run;
  const name = capital(about.survey?.name || (about.survey ? about.run : about.field.split(/[\\/]/).pop()));
  document.title = `${name} \u2013 akrig`;
  $("name").textContent = name;
  const what = about.units ? `${about.quantity} in ${about.units}` : about.quantity;
  $("kind").textContent = `${about.survey ? (about.simulated ? "simulated survey" : "survey") : "simulated mission"} \u00b7 ${what} \u00b7 ${about.run}`;
  charts = makeCharts($("charts"), about);
  const possible = LAYERS.filter((layer) => (about.simulated || !["truth", "error"].includes(layer)) && (about.hasLengthscale || layer !== "lengthscale"));
  layers = about.simulated && !about.survey ? ["mean", "std", "truth", "error"] : ["mean", "std"];
  for (const layer of possible) addToggle(layer, possible);
  panels.show(layers);
}

function addToggle(layer, possible) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = { mean: "Prediction", std: "Uncertainty", truth: "Truth", error: "Error", lengthscale: "Lengthscale" }[layer];
  button.title = titles(run.about)[layer];
  button.dataset.layer = layer;
  button.setAttribute("aria-pressed", String(layers.includes(layer)));
  button.addEventListener("click", () => {
    const wanted = layers.includes(layer) ? layers.filter((other) => other !== layer) : possible.filter((other) => other === layer || layers.includes(other));
    if (!wanted.length) return;
    layers = wanted;
    button.setAttribute("aria-pressed", String(layers.includes(layer)));
    panels.show(layers);
  });
  $("layers").append(button);
}

function state(now) {
  if (now === connected) return;
  connected = now;
  showState();
}

function showState() {
  const { status, boat } = run;
  const waiting = boat.length && boat.waiting[boat.length - 1];
  const words = {
    running: waiting ? "The boat waits" : "Running",
    over: "Finished",
    finishing: "Finishing",
    stopped: "Stopped, can be resumed",
    waiting: "Not begun yet",
  };
  $("state-text").textContent = connected ? words[status.state] : "Connection lost";
  $("state").dataset.state = connected ? (waiting && status.state === "running" ? "waiting-boat" : status.state) : "lost";
  const trouble = connected ? status.trouble : "The page has lost akrig and keeps trying. What is shown is the last that was heard.";
  $("banner").hidden = !trouble;
  if (trouble) $("banner").textContent = trouble;
}

function paint() {
  const moment = run.at(time.t);
  const ahead = run.ahead(moment);
  panels.paint(moment, ahead, view.cursor);
  readout.show(view.cursor, moment);
  showNumbers($("numbers"), run, moment);
  showHealth($("health"), run, moment, time.latest);
  drawCharts(charts, run, moment);
  showLog($("log"), run, moment);
  time.show();
  document.documentElement.dataset.shown = `${clock(moment.t)} ${moment.n} ${panels.shown?.id ?? "none"}`;
}
