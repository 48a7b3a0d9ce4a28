// Numbers, lengths and times as a person says them.
const MINUS = "\u2212", NARROW = "\u202f", SPACE = "\u00a0";
export const DASH = "\u2013";

export function number(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  const size = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  return fixed(value, Math.min(Math.max(digits - 1 - size, 0), 6));
}

export function fixed(value, decimals) {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  const [whole, part] = Math.abs(value).toFixed(decimals).split(".");
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, NARROW) : whole;
  const text = part === undefined ? grouped : `${grouped}.${part}`;
  return value < 0 && Number(text.replaceAll(NARROW, "")) !== 0 ? MINUS + text : text;
}

export const amount = (value, units, digits = 3) => (units && Number.isFinite(value) ? number(value, digits) + SPACE + units : number(value, digits));
export const percent = (share) => (Number.isFinite(share) ? `${Math.round(100 * share)}${SPACE}%` : DASH);

export function length(metres) {
  if (!Number.isFinite(metres)) return DASH;
  return metres >= 10000 ? amount(metres / 1000, "km") : `${fixed(metres, metres < 100 ? 1 : 0)}${SPACE}m`;
}

// Since the mission began; the same as the report and the terminal say (akrig/clock.py).
export function clock(seconds) {
  const whole = Math.max(0, Math.trunc(seconds || 0));
  const [d, h, m, s] = [Math.floor(whole / 86400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60, whole % 60];
  const two = (v) => String(v).padStart(2, "0");
  if (d) return `${d}${SPACE}d${SPACE}${two(h)}:${two(m)}:${two(s)}`;
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

export function place(x, y, area) {
  const far = Math.max(area.upper[0] - area.lower[0], area.upper[1] - area.lower[1]) > 5000;
  const said = (v) => (far ? `${fixed(v / 1000, 2)}${SPACE}km` : `${fixed(v, 1)}${SPACE}m`);
  const part = (v, plus, minus) => `${said(Math.abs(v))}${SPACE}${v < 0 ? minus : plus}`;
  return `${part(x, "east", "west")}, ${part(y, "north", "south")}`;
}

export function degrees(pair) {
  if (!pair) return "";
  const part = (v, plus, minus) => `${Math.abs(v).toFixed(6)}\u00b0${SPACE}${v < 0 ? minus : plus}`;
  return `${part(pair[1], "N", "S")}, ${part(pair[0], "E", "W")}`;
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// Text from the run folder is text, never markup.
export const plain = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
