// Which points of a map's grid lie where the boat may go.
const masks = new Map();

export function insideOf(about, rows, columns) {
  const key = `${rows} ${columns}`;
  if (!masks.has(key)) masks.set(key, mask(about, rows, columns));
  return masks.get(key);
}

function mask(about, rows, columns) {
  const inside = new Uint8Array(rows * columns).fill(1);
  if (!about.survey) return inside;
  const { fence, keepOuts } = about.survey;
  const [dx, dy] = [(about.upper[0] - about.lower[0]) / (columns - 1), (about.upper[1] - about.lower[1]) / (rows - 1)];
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j < columns; j += 1) {
      const place = [about.lower[0] + j * dx, about.lower[1] + i * dy];
      inside[i * columns + j] = within(fence, place) && !keepOuts.some((ring) => within(ring, place)) ? 1 : 0;
    }
  }
  return inside;
}

// Odd crossings of a ray to the east.
function within(ring, [x, y]) {
  let odd = false;
  for (let k = 0, last = ring.length - 1; k < ring.length; last = k, k += 1) {
    const [[ax, ay], [bx, by]] = [ring[k], ring[last]];
    if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) odd = !odd;
  }
  return odd;
}
