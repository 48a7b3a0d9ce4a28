// What happened, the latest first, up to the moment on show.
import { clock } from "./words.js";

const MOST = 300; // entries on the page; older ones are in the journal

export function showLog(list, run, moment) {
  const { log } = run;
  const end = run.count(log, moment.t);
  const key = `${end} ${end ? log.text[end - 1] : ""}`;
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.style.setProperty("--time", `${Math.max(2.6, 0.58 * clock(run.end).length)}em`);
  const entries = [];
  for (let i = end - 1; i >= Math.max(0, end - MOST); i -= 1) {
    const entry = document.createElement("li");
    entry.dataset.level = log.level[i];
    const [time, text] = [document.createElement("time"), document.createElement("p")];
    [time.textContent, text.textContent] = [clock(log.t[i]), log.text[i]];
    entry.append(time, text);
    entries.push(entry);
  }
  list.replaceChildren(...entries);
}
