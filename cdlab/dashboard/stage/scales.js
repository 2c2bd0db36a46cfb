/* From values to pixels and back, and where an axis has its ticks. */

/**
 * @typedef {{(value: number): number, invert: (pixel: number) => number}} Scale
 */

/**
 * Evenly from [low, high] to [from, to].
 * @param {number} low @param {number} high @param {number} from @param {number} to
 * @returns {Scale}
 */
export function linear(low, high, from, to) {
  const span = high - low || 1
  const scale = (/** @type {number} */ value) => from + ((value - low) / span) * (to - from)
  scale.invert = (/** @type {number} */ pixel) => low + ((pixel - from) / (to - from)) * span
  return scale
}

/**
 * The same for logarithms: low and high are above 0.
 * @param {number} low @param {number} high @param {number} from @param {number} to
 * @returns {Scale}
 */
export function logarithmic(low, high, from, to) {
  const even = linear(Math.log10(low), Math.log10(high), from, to)
  const scale = (/** @type {number} */ value) => even(Math.log10(value))
  scale.invert = (/** @type {number} */ pixel) => 10 ** even.invert(pixel)
  return scale
}

/**
 * At most about `count` round values from low to high: 1, 2 or 5 times a power of ten apart.
 * @param {number} low @param {number} high @param {number} count
 * @returns {number[]}
 */
export function roundTicks(low, high, count) {
  if (!(high > low)) return [low]
  const rough = (high - low) / Math.max(1, count)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find((each) => each * power >= rough * 0.999) ?? 10)
  const found = []
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-12); k++) found.push(Number((k * step).toPrecision(12)))
  return found
}

/**
 * Powers of ten from low to high, not more than about `count` of them: every one, every second, third, and so on.
 * @param {number} low @param {number} high @param {number} count
 * @returns {number[]}
 */
export function decades(low, high, count) {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9)
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, count)))
  const found = []
  for (let power = last; power >= first; power -= every) found.unshift(Number(`1e${power}`))
  return found
}
