// The line to akrig: news come by themselves, maps and predictions are asked for.
const MOST_MAPS = 90;
const CROWDED = 1013; // what a WebSocket is closed with when too many watch already
const TRIES = 4;

export class Link {
  constructor({ news, state }) {
    [this.news, this.state] = [news, state];
    this.maps = new Map();
    this.waits = new Map();
    this.wait = 500;
    this.connect();
  }

  connect() {
    const socket = (this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/feed`));
    socket.onmessage = (event) => {
      this.wait = 500;
      this.state("here");
      this.news(JSON.parse(event.data));
      socket.send("ok"); // more comes only then
    };
    socket.onclose = (event) => {
      this.state(event.code === CROWDED ? "crowded" : "lost");
      this.timer = setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, 8000);
    };
  }

  // Somebody with a key has a place at once.
  connectNow() {
    if (this.socket.readyState !== WebSocket.CLOSED) return;
    clearTimeout(this.timer);
    this.connect();
  }

  // A map by its name, now if it is here, else `null` and a call when it is.
  map(id, arrived) {
    const known = this.maps.get(id);
    if (known) {
      this.maps.delete(id);
      this.maps.set(id, known); // the most recently used last
      return known.layers ? known : null;
    }
    const address = id.startsWith("model-") ? "/map/model" : id.startsWith("truth-") ? `/truth/${id.slice(6)}` : `/map/${id.slice(4)}`;
    this.maps.set(id, {});
    fetch(address).then((answer) => (answer.ok ? answer.arrayBuffer() : Promise.reject(new Error(answer.status)))).then((data) => {
      this.maps.set(id, decoded(data));
      while (this.maps.size > MOST_MAPS) this.maps.delete(this.maps.keys().next().value);
      arrived();
    }).catch(() => this.#tryAgain(id, arrived));
    return null;
  }

  // Later and later: some things are never known here.
  #tryAgain(id, arrived) {
    const wait = Math.min(2 * (this.waits.get(id) ?? 2000), 60000);
    this.waits.set(id, wait);
    setTimeout(() => {
      this.maps.delete(id);
      arrived();
    }, wait);
  }

  async at(x, y, frame) {
    const which = frame && !frame.model ? `&readings=${frame.readings}` : "";
    const answer = await fetch(`/at?x=${x.toFixed(3)}&y=${y.toFixed(3)}${which}`);
    return answer.ok ? answer.json() : null;
  }

  // In a crowd there may be no answer; then the key is the way in.
  async access() {
    try {
      const answer = await fetch("/access");
      if (answer.ok) return { known: true, ...(await answer.json()) };
    } catch {
      // the page says elsewhere that akrig is gone
    }
    return { known: false, steers: false, needsKey: true };
  }

  // Once more if the line broke: an order has an id, so that akrig takes it only once.
  async send(address, content) {
    for (let left = TRIES; ; left -= 1) {
      try {
        const answer = await fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content) });
        return { ok: answer.ok, ...(await answer.json()) };
      } catch (error) {
        if (left <= 1) throw error;
        await new Promise((again) => setTimeout(again, 300));
      }
    }
  }
}

function decoded(data) {
  const size = new DataView(data).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size)));
  const layers = {};
  header.layers.forEach((name, k) => {
    layers[name] = new Float32Array(data, 4 + size + 4 * k * header.rows * header.columns, header.rows * header.columns);
  });
  return { ...header, layers };
}

// Between the four nearest points of the grid; the same as akrig does, for while its answer is on the way.
export function between(map, name, about, x, y) {
  const values = map.layers[name];
  if (!values) return null;
  const share = (value, k) => (value - about.lower[k]) / (about.upper[k] - about.lower[k]);
  const inside = (s) => s >= -1e-9 && s <= 1 + 1e-9;
  let [u, v] = [share(x, 0), share(y, 1)];
  if (!(inside(u) && inside(v))) return null;
  [u, v] = [u, v].map((s) => Math.min(1, Math.max(0, s)));
  const [column, row] = [u * (map.columns - 1), v * (map.rows - 1)];
  const [j, i] = [Math.min(Math.floor(column), map.columns - 2), Math.min(Math.floor(row), map.rows - 2)];
  const cell = (di, dj) => values[(i + di) * map.columns + j + dj];
  const along = (di) => cell(di, 0) + (column - j) * (cell(di, 1) - cell(di, 0));
  const value = along(0) + (row - i) * (along(1) - along(0));
  return Number.isFinite(value) ? value : null;
}
