// What is drawn over the maps can be switched: a long track hides the map that it made.
const KEY = "akrig-marks";
const MARKS = { contours: "Contours", track: "Track and readings", route: "Planned route", lawnmower: "Lawnmower beside it", rejected: "Rejected soundings", background: "Background" };
const AT_FIRST = { contours: true, track: true, route: true, lawnmower: false, rejected: false, background: true };

export class Switches {
  constructor(box, changed) {
    [this.box, this.changed] = [box, changed];
    this.on = { ...AT_FIRST, ...remembered() };
  }

  // `possible` names those that this run has.
  offer(possible) {
    this.box.replaceChildren(...possible.map((mark) => this.#offered(mark)));
  }

  #offered(mark) {
    const [label, box] = [document.createElement("label"), document.createElement("input")];
    [box.type, box.checked, box.dataset.mark] = ["checkbox", this.on[mark], mark];
    box.addEventListener("change", () => {
      this.on[mark] = box.checked;
      try {
        localStorage.setItem(KEY, JSON.stringify(this.on));
      } catch {
        // a private window: then it holds until it is closed
      }
      this.changed();
    });
    label.append(box, MARKS[mark]);
    return label;
  }
}

function remembered() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY)) ?? {};
    return Object.fromEntries(Object.keys(AT_FIRST).filter((mark) => typeof kept[mark] === "boolean").map((mark) => [mark, kept[mark]]));
  } catch {
    return {};
  }
}
