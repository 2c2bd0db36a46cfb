/* Sums as numpy makes them, in pairs: what is drawn by them is then drawn alike. */

const BLOCK = 128, LANES = 8

/** numpy's sum. @param {Float64Array} values @returns {number} */
export function sum(values, from = 0, size = values.length) {
  if (size > BLOCK) {
    const half = Math.floor(size / 2), first = half - (half % LANES)
    return sum(values, from, first) + sum(values, from + first, size - first)
  }
  const lanes = size < LANES ? null : values.slice(from, from + LANES), whole = size - (size % LANES)
  let total = 0
  if (lanes) {
    for (let k = LANES; k < whole; k++) lanes[k % LANES] += values[from + k]
    total = lanes[0] + lanes[1] + (lanes[2] + lanes[3]) + (lanes[4] + lanes[5] + (lanes[6] + lanes[7]))
  }
  for (let k = lanes ? whole : 0; k < size; k++) total += values[from + k]
  return total
}
