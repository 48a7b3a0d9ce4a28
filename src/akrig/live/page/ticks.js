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

// Under a colour bar.
export function showTicks(box, [low, high]) {
  const width = box.clientWidth || 200;
  const key = `${low} ${high} ${width}`;
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  let about = width < 150 ? 2 : 5;
  while (high > low && about < 5 && roundNumbers(low, high, about).numbers.length < 2) about += 1; // one tells nothing
  const { numbers, decimals } = roundNumbers(low, high, about);
  const parts = numbers.map((value) => {
    const tick = document.createElement("span");
    const share = (value - low) / (high - low || 1);
    tick.textContent = fixed(value, decimals);
    tick.className = share < 0.06 ? "first" : share > 0.94 ? "last" : "";
    tick.style.left = `${100 * share}%`;
    return tick;
  });
  box.replaceChildren(...parts);
}
