// Steering: each order shows that it waits, then what the boat said.
import { capital } from "./words.js";

const WORDS = { hold: "Hold", resume: "Go on", skip: "Skip waypoint", goto: "Go there next", return: "Return home" };
const SHOWN = 2;
const $ = (id) => document.getElementById(id);

export class Controls {
  constructor(link, run) {
    [this.link, this.run] = [link, run];
    [this.choosing, this.shutOut] = [false, false];
    this.viewOnly = location.pathname === "/view";
    this.access = { steers: false, needsKey: false };
    for (const button of document.querySelectorAll("[data-order]")) button.addEventListener("click", () => this.#press(button.dataset.order));
    $("unlock").addEventListener("submit", (event) => this.#unlock(event));
    $("share").addEventListener("click", () => this.#share());
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.choose(false));
    const key = location.hash.slice(1);
    if (key) this.#enter(key);
    else this.ask();
  }

  // Also when akrig is back: one that was started anew has a new key.
  async ask() {
    const access = await this.link.access();
    if (access.known || !this.access.known) this.access = access;
    if (!access.known) setTimeout(() => this.ask(), 3000);
    this.show();
  }

  show() {
    const { run, access } = this;
    const may = !this.viewOnly && run.status.state !== "over";
    $("controls").hidden = !(may && run.about?.survey && access.steers);
    // Before the first news nothing is known about the boat, and in a crowd they come only with the key.
    $("lock").hidden = !(may && (run.about ? run.about.survey : this.shutOut) && !access.steers && access.needsKey);
    $("share").hidden = !access.needsKey;
    for (const button of document.querySelectorAll("[data-order]")) button.disabled = run.status.state !== "running";
    this.#list();
  }

  #list() {
    const { orders } = this.run;
    const shown = [];
    for (let i = orders.length - 1; i >= Math.max(0, orders.length - SHOWN); i -= 1) {
      const item = document.createElement("li");
      item.dataset.state = orders.state[i];
      item.dataset.word = orders.word[i];
      const said = { pending: "waiting for the boat \u2026", accepted: `\u2713 ${orders.text[i]}`, refused: `refused: ${orders.text[i]}`, unanswered: `no answer: ${orders.text[i]}` };
      item.textContent = `${WORDS[orders.word[i]]}: ${said[orders.state[i]]}`;
      shown.push(item);
    }
    $("orders").replaceChildren(...shown);
  }

  async #press(word) {
    if (word === "goto") {
      this.choose(!this.choosing);
      return;
    }
    this.choose(false);
    if (word === "return" && !(await sure())) return;
    this.#give({ word });
  }

  choose(on) {
    this.choosing = on;
    document.querySelector('[data-order="goto"]').setAttribute("aria-pressed", String(on));
    $("hint").textContent = on ? "Click the place on a map, or move the crosshair with the arrow keys and press Enter. Escape leaves it." : "";
  }

  // A place on the map was clicked.
  chosen(x, y) {
    if (!this.choosing) return;
    this.choose(false);
    this.#give({ word: "goto", x, y });
  }

  // There was no place for the page.
  shut() {
    this.shutOut = true;
    this.show();
  }

  async #give(order) {
    try {
      const nonce = [...crypto.getRandomValues(new Uint32Array(3))].join("-");
      const answer = await this.link.send("/order", { ...order, nonce });
      $("hint").textContent = answer.ok ? "" : answer.sentence;
      if (!answer.ok) this.access = await this.link.access();
    } catch {
      $("hint").textContent = "The page has lost akrig: the order was not sent.";
    }
    this.show();
  }

  #unlock(event) {
    event.preventDefault();
    this.#enter($("key").value);
  }

  async #enter(key) {
    history.replaceState(null, "", location.pathname); // a key in the address is not to be remembered
    $("lock-answer").textContent = "Checking \u2026";
    try {
      const answer = await this.link.send("/unlock", { key });
      $("key").value = "";
      $("lock-answer").textContent = answer.ok ? "" : answer.sentence;
      this.access = await this.link.access();
      if (answer.ok) this.link.connectNow();
    } catch {
      $("lock-answer").textContent = "The page has lost akrig.";
    }
    this.show();
  }

  async #share() {
    const address = `${location.origin}/view`;
    try {
      await navigator.clipboard.writeText(address);
      $("share").textContent = "Copied";
      setTimeout(() => ($("share").textContent = "Copy view-only link"), 2000);
    } catch {
      $("share").textContent = capital(address); // no clipboard without https: then it is there to read
    }
  }
}

function sure() {
  const dialog = $("sure");
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
}
