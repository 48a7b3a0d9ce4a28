// The run as this page knows it: columns that grow, and what was the case at a moment of the mission.
const STREAMS = ["readings", "rejected", "plans", "epochs", "log", "boat", "frames", "scores", "timings", "orders", "heard"];

export class Run {
  constructor() {
    this.about = null;
    this.status = { state: "waiting", model: null };
    this.reset();
  }

  reset() {
    for (const name of STREAMS) this[name] = { length: 0 };
    this.values = [Infinity, -Infinity];
    this.foresees = false;
    this.revision = (this.revision ?? 0) + 1;
  }

  // A message holds what is new; the first after connecting holds everything.
  take(message) {
    if (message.about) {
      this.about = message.about;
      this.reset();
    }
    this.status = message.status;
    for (const [name, change] of Object.entries(message.streams)) this.#grow(name, change);
    return message.streams;
  }

  #grow(name, change) {
    const stream = (this[name] ??= { length: 0 });
    const { from, ...columns } = change;
    if (from < stream.length) this.revision += 1; // something that was there is not any more
    for (const [column, rows] of Object.entries(columns)) {
      const old = stream[column] ?? [];
      old.length = Math.min(old.length, from);
      for (const row of rows) old.push(row); // push(...rows) would overflow the stack on a long mission
      stream[column] = old;
      stream.length = old.length;
    }
    if (name === "plans") this.foresees ||= (columns.foresight ?? []).some(Boolean);
    if (name === "readings") {
      this.#span(from, columns.v);
      this.#measure(from);
    }
  }

  #span(from, added) {
    if (from === 0) this.values = [Infinity, -Infinity];
    for (const v of added) {
      if (v === null) continue;
      if (v < this.values[0]) this.values[0] = v;
      if (v > this.values[1]) this.values[1] = v;
    }
  }

  // Metres along the readings.
  #measure(from) {
    const { x, y, length } = this.readings;
    const metres = (this.metres ??= []);
    metres.length = Math.min(metres.length, from);
    for (let i = metres.length; i < length; i += 1) metres.push(i ? metres[i - 1] + Math.hypot(x[i] - x[i - 1], y[i] - y[i - 1]) : 0);
  }

  // As counted at the end of the last leg, and about so far since then.
  distance(moment) {
    const { epoch, n } = moment;
    if (!n) return 0;
    return epoch ? epoch.d + this.metres[n - 1] - (epoch.n ? this.metres[epoch.n - 1] : 0) : this.metres[n - 1];
  }

  // The largest share of any limit that is used up.
  spent(moment) {
    const { readings, distance, time } = this.about.budget;
    const shares = [[moment.n, readings], [this.distance(moment), distance], [moment.t, time]];
    return Math.min(1, Math.max(0, ...shares.filter(([, limit]) => limit).map(([used, limit]) => used / limit)));
  }

  // Of a mission that is over, when it was: the boat may still have been heard while the map was made.
  get end() {
    const last = (s) => (s.length ? s.t[s.length - 1] ?? 0 : 0);
    const heard = ["finishing", "over"].includes(this.status.state) ? 0 : last(this.boat);
    return Math.max(last(this.readings), heard, last(this.epochs), last(this.log), 0.001);
  }

  // How many rows of a stream were there at time t.
  count(stream, t) {
    let [low, high] = [0, stream.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((stream.t[middle] ?? 0) <= t) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  row(stream, i) {
    if (i < 0 || i >= stream.length) return null;
    return Object.fromEntries(Object.entries(stream).filter(([k]) => k !== "length").map(([k, column]) => [k, column[i]]));
  }

  at(t) {
    const n = this.count(this.readings, t);
    const epochs = this.count(this.epochs, t);
    const boat = this.row(this.boat, this.count(this.boat, t) - 1);
    return {
      t, n, epochs, boat,
      epoch: this.row(this.epochs, epochs - 1),
      plan: this.row(this.plans, this.count(this.plans, t) - 1),
      score: this.row(this.scores, this.count(this.scores, t) - 1),
      pose: this.#pose(n, boat, epochs),
      frame: this.frame(n),
    };
  }

  #pose(n, boat, epochs) {
    if (boat && boat.x !== null) return { x: boat.x, y: boat.y, heading: boat.h };
    if (!n) return null;
    const { x, y } = this.readings;
    const done = epochs && this.epochs.n[epochs - 1] === n;
    if (done) return { x: this.epochs.x[epochs - 1], y: this.epochs.y[epochs - 1], heading: this.epochs.h[epochs - 1] };
    const moves = n > 1 && (x[n - 1] !== x[n - 2] || y[n - 1] !== y[n - 2]);
    return { x: x[n - 1], y: y[n - 1], heading: moves ? Math.atan2(y[n - 1] - y[n - 2], x[n - 1] - x[n - 2]) : null };
  }

  // Which map belongs to so many readings: the model's own if it is not from later, else the last snapshot.
  frame(n) {
    const model = this.status.model;
    const snapshots = this.frames.readings ?? [];
    let found = -1;
    for (const readings of snapshots) if (readings <= n) found = readings;
    if (model && model.readings <= n && model.readings >= found) return { id: `model-${model.epoch}`, readings: model.readings, model: true };
    return found < 0 ? null : { id: `map-${found}`, readings: found, model: false };
  }

  // What nearly every standard deviation lies below, over the whole mission, so that colours keep their meaning.
  get doubt() {
    const tops = (this.frames.top ?? []).map((top) => top.std).concat(this.status.model?.top.std ?? []).filter(Number.isFinite);
    return tops.length ? Math.max(...tops) : 1;
  }

  // What the planner meant beyond this plan, of a mission that is under way.
  foresight(moment) {
    return (this.status.state === "over" && moment.t >= this.end) ? null : moment.plan?.foresight ?? null;
  }

  // Waypoints of a plan that are still to come: those after the one the vehicle came nearest to, last.
  ahead(moment) {
    const { plan, boat, n, pose } = moment;
    if (!plan || !pose || (this.status.state === "over" && moment.t >= this.end)) return [];
    const ways = plan.waypoints;
    const near = 1.5 * (this.about.survey?.goalRadius ?? this.#spacing());
    const passed = boat ? this.#track(plan.t, moment.t) : this.#track(plan.t, moment.t, n);
    let next = 0;
    for (const [x, y] of passed) while (next < ways.length && Math.hypot(x - ways[next][0], y - ways[next][1]) <= near) next += 1;
    const rest = ways.slice(next);
    const goal = boat?.goal;
    return goal && !(rest.length && Math.hypot(goal[0] - rest[0][0], goal[1] - rest[0][1]) < 0.5) ? [goal, ...rest] : rest;
  }

  #spacing() {
    const { x, y, length } = this.readings;
    return length > 1 ? Math.hypot(x[length - 1] - x[length - 2], y[length - 1] - y[length - 2]) : 0;
  }

  #track(from, to) {
    const s = this.boat.length ? this.boat : this.readings;
    const places = [];
    for (let i = Math.max(0, this.count(s, from) - 1), end = this.count(s, to); i < end; i += 1) places.push([s.x[i], s.y[i]]);
    return places;
  }
}
