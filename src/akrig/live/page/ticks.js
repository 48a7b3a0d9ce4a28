// Round numbers along a scale.
import { fixed } from "./words.js";

// About as many as asked for; 1, 2 or 5 times a power of ten apart.
export function roundNumbers(low, high, about) {
  if (!(high > low)) return { numbers: [low], decimals: 0 };
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const far = (step) => Math.abs(Math.log(step / rough));
  const step = [1, 2, 5, 10].map((k) => k * power).reduce((a, b) => (far(b) < far(a) ? b : a));
  const numbers = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; n += 1) numbers.push(n * step);
  return { numbers, decimals: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

const LETTER = 8; // pixels, at most, of a digit under a colour bar

// Under a colour bar: as many as stand apart from each other.
export function showTicks(box, [low, high]) {
  const width = box.clientWidth || 200;
  const key = `${low} ${high} ${width}`;
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  const { numbers, decimals } = roundNumbers(low, high, 5);
  const ticks = numbers.map((value) => placed(fixed(value, decimals), (value - low) / (high - low || 1), width));
  let every = 1;
  while (every < ticks.length && overlap(ticks.filter((_, i) => i % every === 0))) every += 1;
  box.replaceChildren(...ticks.filter((_, i) => i % every === 0).map(({ text, share, side }) => {
    const tick = document.createElement("span");
    tick.textContent = text;
    tick.className = side;
    tick.style.left = `${100 * share}%`;
    return tick;
  }));
}

// Where its letters are; at the ends of the bar they stay beside it.
function placed(text, share, width) {
  const side = share < 0.06 ? "first" : share > 0.94 ? "last" : "";
  const long = LETTER * text.length;
  const left = share * width - (side === "first" ? 0 : side === "last" ? long : long / 2);
  return { text, share, side, left, right: left + long };
}

const overlap = (ticks) => ticks.some(({ right }, i) => i + 1 < ticks.length && right + 3 > ticks[i + 1].left);
