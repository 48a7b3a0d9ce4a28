// Curves over the readings: how uncertain the map is, in simulation how wrong, and the user's own scores.
import { amount, number } from "./words.js";

export function makeCharts(box, about) {
  box.replaceChildren();
  return about.charts.map(({ column, title, units }) => {
    const figure = document.createElement("figure");
    figure.className = "chart";
    figure.innerHTML = '<figcaption><span></span></figcaption><canvas role="img"></canvas>';
    figure.querySelector("figcaption").prepend(title);
    box.append(figure);
    return { column, title, units, canvas: figure.querySelector("canvas"), value: figure.querySelector("span") };
  });
}

export function drawCharts(charts, run, moment) {
  document.getElementById("charts").hidden = !run.scores.length;
  if (!run.scores.length) return;
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name);
  const theme = { ink: colour("--ink"), soft: colour("--soft"), line: colour("--line"), accent: colour("--accent"), good: colour("--good") };
  for (const chart of charts) drawChart(chart, run, moment, theme);
}

function drawChart({ column, title, units, canvas, value }, run, moment, theme) {
  const [xs, ys] = [run.scores.n ?? [], run.scores[column] ?? []];
  const target = column === "uncertainty" ? run.about.survey?.target : null;
  const now = moment.score?.[column];
  value.textContent = amount(now, units);
  canvas.setAttribute("aria-label", `${title} over the readings; now ${amount(now, units)}`);
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * ratio)) [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  const lowest = Math.min(0, ...sampled(ys));
  const bottom = lowest < 0 ? -ceiling(-lowest) : 0;
  const top = bottom + ceiling(Math.max(target ?? 0, ...sampled(ys)) - bottom);
  const last = Math.max(xs[xs.length - 1] ?? 1, moment.n, 1);
  const first = Math.min(xs[0] ?? 0, last - 1);
  const [left, right, above, below] = [width < 150 ? 34 : 44, width - 6, 8, height - 18];
  const x = (n) => left + ((n - first) / (last - first)) * (right - left);
  const y = (v) => below - ((v - bottom) / (top - bottom)) * (below - above);
  [c.font, c.lineWidth, c.strokeStyle, c.fillStyle] = ["13px system-ui, sans-serif", 1, theme.line, theme.soft];
  for (const share of [0, 0.5, 1]) {
    c.beginPath();
    const level = bottom + share * (top - bottom);
    c.moveTo(left, Math.round(y(level)) + 0.5);
    c.lineTo(right, Math.round(y(level)) + 0.5);
    c.stroke();
    c.textAlign = "right";
    c.fillText(number(level, 2), left - 6, y(level) + 4);
  }
  c.textAlign = "left";
  c.fillText(`${first}`, left, height - 3);
  c.textAlign = "right";
  c.fillText(width < 190 ? `${last}` : `${last} readings`, right, height - 3);
  if (target) dashed(c, [left, right], y(target), theme.good);
  c.beginPath();
  const step = Math.max(1, Math.floor(xs.length / 600));
  for (let i = 0; i < xs.length; i += step) if (ys[i] !== null) c.lineTo(x(xs[i]), y(ys[i]));
  [c.strokeStyle, c.lineWidth, c.lineJoin] = [theme.accent, 2.5, "round"];
  c.stroke();
  if (Number.isFinite(now)) {
    c.beginPath();
    c.arc(x(moment.score.n), y(now), 5, 0, 7);
    c.fillStyle = theme.ink;
    c.fill();
  }
}

function dashed(c, [left, right], y, colour) {
  c.setLineDash([5, 4]);
  [c.strokeStyle, c.lineWidth] = [colour, 2];
  c.beginPath();
  c.moveTo(left, y);
  c.lineTo(right, y);
  c.stroke();
  c.setLineDash([]);
}

const sampled = (values) => values.filter((v, i) => v !== null && i % Math.max(1, Math.floor(values.length / 600)) === 0);

// The next round number.
function ceiling(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].map((k) => k * power).find((k) => k >= value);
}
