// What part of the world all maps show, and how a person moves it: wheel, drag, pinch, keys.
export class View {
  constructor({ moved, pointed, chosen }) {
    [this.moved, this.pointed, this.chosen] = [moved, pointed, chosen];
    [this.x, this.y, this.scale] = [0, 0, 1]; // the middle in metres, pixels per metre
    this.fitted = true;
    this.cursor = null;
    this.pointers = new Map();
  }

  fit(bounds, width, height) {
    const [w, h] = [bounds.upper[0] - bounds.lower[0], bounds.upper[1] - bounds.lower[1]];
    [this.x, this.y] = [(bounds.lower[0] + bounds.upper[0]) / 2, (bounds.lower[1] + bounds.upper[1]) / 2];
    this.scale = Math.max(1e-9, Math.min((width - 28) / w, (height - 28) / h));
    this.smallest = this.scale / 4;
    this.fitted = true;
  }

  toPixels(x, y, canvas) {
    return [canvas.clientWidth / 2 + (x - this.x) * this.scale, canvas.clientHeight / 2 - (y - this.y) * this.scale];
  }

  toMetres(px, py, canvas) {
    return [this.x + (px - canvas.clientWidth / 2) / this.scale, this.y - (py - canvas.clientHeight / 2) / this.scale];
  }

  zoom(factor, canvas, px = canvas.clientWidth / 2, py = canvas.clientHeight / 2) {
    const [x, y] = this.toMetres(px, py, canvas);
    this.scale = Math.max(this.smallest, Math.min(this.scale * factor, this.smallest * 4000));
    const [nx, ny] = this.toMetres(px, py, canvas);
    [this.x, this.y, this.fitted] = [this.x + x - nx, this.y + y - ny, false];
    this.moved();
  }

  pan(dx, dy) {
    [this.x, this.y, this.fitted] = [this.x - dx / this.scale, this.y + dy / this.scale, false];
    this.moved();
  }

  point(canvas, px, py) {
    this.cursor = this.toMetres(px, py, canvas);
    this.pointed();
  }

  listen(canvas) {
    const spot = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), canvas, ...spot(event));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, spot(event));
      if (this.pointers.size === 1) this.travelled = 0;
    });
    canvas.addEventListener("pointermove", (event) => this.#move(event, canvas, spot(event)));
    const lift = (event) => {
      const click = this.pointers.size === 1 && this.travelled < 6 && event.type === "pointerup";
      this.pointers.delete(event.pointerId);
      document.body.classList.remove("dragging");
      if (click) {
        this.point(canvas, ...spot(event));
        this.chosen(...this.cursor);
      }
    };
    canvas.addEventListener("pointerup", lift);
    canvas.addEventListener("pointercancel", lift);
    canvas.addEventListener("keydown", (event) => this.#key(event, canvas));
  }

  #move(event, canvas, [px, py]) {
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      this.point(canvas, px, py);
      return;
    }
    const [dx, dy] = [px - before[0], py - before[1]];
    this.travelled += Math.hypot(dx, dy);
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const apart = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
      this.zoom(apart([px, py]) / Math.max(apart(before), 1), canvas, other[0], other[1]);
    } else if (this.travelled >= 6) {
      document.body.classList.add("dragging");
      this.pan(dx, dy);
    }
    this.pointers.set(event.pointerId, [px, py]);
  }

  #key(event, canvas) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step) {
      if (event.shiftKey) this.pan(-60 * step[0], -60 * step[1]);
      else {
        const [px, py] = this.cursor ? this.toPixels(...this.cursor, canvas) : [canvas.clientWidth / 2, canvas.clientHeight / 2];
        this.point(canvas, px + 12 * step[0], py + 12 * step[1]);
      }
    } else if (event.key === "+" || event.key === "=") this.zoom(1.4, canvas);
    else if (event.key === "-") this.zoom(1 / 1.4, canvas);
    else if (event.key === "0") this.fitAll();
    else if (event.key === "Enter" && this.cursor) this.chosen(...this.cursor);
    else return;
    event.preventDefault();
  }
}
