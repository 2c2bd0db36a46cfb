/* Where labels go that would lie on each other. */

/**
 * Heights as near to the wanted ones as room allows: at least `apart` from each other, between low and high, in the
 * same order.
 * @param {number[]} wanted @param {number} apart @param {number} low @param {number} high
 * @returns {number[]}
 */
export function spread(wanted, apart, low, high) {
  const order = wanted.map((_, k) => k).sort((a, b) => wanted[a] - wanted[b])
  const found = [...wanted]
  let least = low
  for (const k of order) {
    found[k] = Math.max(found[k], least)
    least = found[k] + apart
  }
  let most = high
  for (const k of order.reverse()) {
    found[k] = Math.min(found[k], most)
    most = found[k] - apart
  }
  return found
}
