// Everything meets here: news come in, one moment is on show, one picture is drawn when something changed.
import { drawCharts, makeCharts } from "./charts.js";
import { Controls } from "./controls.js";
import { Extras } from "./extras.js";
import { Layers } from "./layers.js";
import { Link } from "./link.js";
import { showLog } from "./log.js";
import { startMenus } from "./menus.js";
import { showHealth, showNumbers } from "./numbers.js";
import { Panels } from "./panels.js";
import { Profile } from "./profile.js";
import { Readout } from "./readout.js";
import { Ruler } from "./ruler.js";
import { Run } from "./run.js";
import { Standard } from "./standard.js";
import { Switches } from "./switches.js";
import { startTheme } from "./theme.js";
import { Time } from "./time.js";
import { View } from "./view.js";
import { Within } from "./within.js";
import { capital, clock } from "./words.js";

const $ = (id) => document.getElementById(id);
const run = new Run();
let [connection, due, charts] = ["here", false, []];

const TROUBLES = {
  lost: "The page has lost akrig and keeps trying. What is shown is the last that was heard.",
  crowded: "Too many people watch this page already. With the operator's key there is always a place; without it, the page keeps trying.",
};

function draw() {
  if (due || !run.about) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    paint();
  });
}

const view = new View({ moved: draw, pointed: draw, chosen });
const time = new Time(run, draw);
const link = new Link({ news, state });
const switches = new Switches($("switches"), draw);
const extras = new Extras(() => offer());
const ruler = new Ruler(draw);
const within = new Within(draw);
const standard = new Standard(draw);
const panels = new Panels($("panels"), view, { run, link, draw, switches, extras, ruler, within });
const layers = new Layers($("layers"), panels);
const profile = new Profile({ run, panels, view, ruler, draw });
const readout = new Readout(run, link, panels);
const controls = new Controls(link, run);
view.fitAll = () => {
  panels.fit();
  draw();
};
startTheme(draw);
startMenus();
$("zoom-in").addEventListener("click", () => view.zoom(1.4, panels.panels[0].canvas));
$("zoom-out").addEventListener("click", () => view.zoom(1 / 1.4, panels.panels[0].canvas));
$("zoom-fit").addEventListener("click", () => view.fitAll());
$("measure").addEventListener("click", () => measure(!ruler.on));
$("along").addEventListener("click", () => (profile.open ? profile.close() : profile.show("track")));
document.querySelector('[data-order="goto"]').addEventListener("click", () => measure(false));

// A line is measured, or the boat is sent somewhere: a press on the map is never both.
function measure(on) {
  if (ruler.on === on) return;
  if (on) controls.choose(false);
  ruler.use(on);
  if (on) profile.show("line");
  else if (profile.along === "line") profile.close();
}

function chosen(x, y) {
  if (ruler.on) ruler.chosen(x, y);
  else controls.chosen(x, y);
}

function news(message) {
  const [first, foresaw] = [!run.about, run.foresees];
  run.take(message);
  if (first) begin();
  else if (run.foresees !== foresaw) offer();
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
  within.begin(about);
  standard.begin(about);
  offer();
  layers.begin(about);
}

function offer() {
  const has = { contours: true, track: true, route: run.foresees, lawnmower: run.foresees, rejected: Boolean(run.about?.survey), background: Boolean(extras.picture) };
  switches.offer(Object.keys(has).filter((mark) => has[mark]));
  draw();
}

function state(now) {
  if (now === connection) return;
  connection = now;
  if (now === "here") controls.ask();
  else if (!run.about) controls.shut();
  showState();
}

function showState() {
  const { status, boat } = run;
  const connected = connection === "here";
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
  const trouble = connected ? status.trouble : TROUBLES[connection];
  $("banner").hidden = !trouble;
  if (trouble) $("banner").textContent = trouble;
}

function paint() {
  const moment = run.at(time.t);
  const ahead = run.ahead(moment);
  panels.paint(moment, ahead, view.cursor);
  readout.show(view.cursor, moment, switches.on.rejected);
  profile.paint(moment);
  within.show(run.about, panels.shown?.map);
  standard.show(run.about, panels.shown?.map);
  $("measure").setAttribute("aria-pressed", String(ruler.on));
  $("along").setAttribute("aria-pressed", String(profile.open));
  showNumbers($("numbers"), run, moment);
  showHealth($("health"), run, moment, time.latest);
  drawCharts(charts, run, moment);
  showLog($("log"), run, moment);
  time.show();
  document.documentElement.dataset.shown = `${clock(moment.t)} ${moment.n} ${panels.shown?.id ?? "none"}`;
}
