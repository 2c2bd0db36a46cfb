// Scales, interpolation for drawing, and where labels find room. Numbers in, numbers out: no page in sight.

/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {(value: number) => number} Scale */

/** @param {number} from @param {number} to @param {number} left @param {number} right @returns {Scale} */
export const linear = (from, to, left, right) => (value) => left + ((value - from) / (to - from)) * (right - left)

/** @param {number} from @param {number} to @param {number} left @param {number} right @returns {Scale} */
export function logarithmic(from, to, left, right) {
  const even = linear(Math.log10(from), Math.log10(to), left, right)
  return (value) => even(Math.log10(Math.max(value, Math.min(from, to) / 1e3)))
}

/** @param {number} value @param {number} least @param {number} most */
export const clamp = (value, least, most) => Math.min(Math.max(value, least), most)

/** Index of the last of the rising `xs` that is at most x; 0 if none is. @param {number[]} xs @param {number} x */
export function lastAt(xs, x) {
  let low = 0
  let high = xs.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (xs[middle] <= x) low = middle
    else high = middle
  }
  return low
}

/** y at x on the line through the points with rising `xs`. @param {number[]} xs @param {number[]} ys @param {number} x */
export function between(xs, ys, x) {
  const k = lastAt(xs, x)
  if (k >= xs.length - 1 || x <= xs[k]) return ys[k]
  return ys[k] + ((x - xs[k]) / (xs[k + 1] - xs[k])) * (ys[k + 1] - ys[k])
}

/** Powers of ten from 1 down to the target, at most seven of them. @param {number} target */
export function decades(target) {
  const last = Math.round(Math.log10(target))
  const step = Math.ceil(-last / 4) || 1
  const found = []
  for (let exponent = 0; exponent > last + step / 2; exponent -= step) found.push(10 ** exponent)
  return [...found, target]
}

/** Round values from 0 to `most`, four to six of them. @param {number} most */
export function rounds(most) {
  const size = 10 ** Math.floor(Math.log10(most / 4))
  const step = size * ([1, 2, 2.5, 5, 10].find((each) => most / (each * size) <= 5.5) ?? 10)
  return Array.from({length: Math.floor(most / step + 1e-9) + 1}, (_, k) => k * step)
}

const STEP = 6 // pixels between boxes along a line
const APART = 3 // pixels between texts that stand side by side

/** @param {Box} a @param {Box} b */
export const overlap = (a, b) => a.x < b.x + b.width + APART && b.x < a.x + a.width + APART && a.y < b.y + b.height && b.y < a.y + a.height

/** @param {Box} box @param {{left: number, right: number, top: number, bottom: number}} room */
const within = (box, room) => box.x >= room.left && box.x + box.width <= room.right && box.y >= room.top && box.y + box.height <= room.bottom

/**
 * For each label the first of its places in its room that is free and on no curve; undefined where there is none.
 * @template {Box} T
 * @param {{places: T[], room: {left: number, right: number, top: number, bottom: number}, over?: boolean}[]} labels  the weightiest first, the places of
 * each with the best first; over: rather on a curve than not at all
 * @param {Box[]} taken  what is there
 * @param {Box[]} [curves]
 */
export function place(labels, taken, curves = []) {
  const there = [...taken]
  return labels.map(({places, room, over = false}) => {
    const free = places.filter((box) => within(box, room) && !there.some((each) => overlap(box, each)))
    const found = free.find((box) => !curves.some((each) => overlap(box, each))) ?? (over ? free[0] : undefined)
    if (found) there.push(found)
    return found
  })
}

/** The path of a line through points. @param {Scale} X @param {Scale} Y @param {number[]} xs @param {number[]} ys */
export const line = (X, Y, xs, ys) => xs.map((x, k) => `${k ? "L" : "M"}${X(x).toFixed(1)} ${Y(ys[k]).toFixed(1)}`).join("")

/**
 * Small boxes along such a line between two places, for labels to keep away from: elsewhere it may be endless.
 * @param {Scale} X @param {Scale} Y @param {number[]} xs @param {number[]} ys @param {number} left @param {number} right @returns {Box[]}
 */
export function trail(X, Y, xs, ys, left, right) {
  const points = xs.map((x, k) => [X(x), Y(ys[k])]).filter((point) => point.every(Number.isFinite))
  return points.flatMap(([x, y], k) => {
    const [end, top] = points[k + 1] ?? [x, y]
    if (end < left || x > right) return []
    const share = (/** @type {number} */ at) => (end > x ? clamp((at - x) / (end - x), 0, 1) : 0) // of the way
    const [from, to] = [share(left), end > x ? share(right) : 1]
    const parts = Math.max(1, Math.ceil((Math.hypot(end - x, top - y) * (to - from)) / STEP))
    return Array.from({length: parts}, (_, part) => from + ((to - from) * part) / parts).map((t) => ({x: x + (end - x) * t - 2, y: y + (top - y) * t - 2, width: 4, height: 4}))
  })
}

/** Bytes of a base64 text. @param {string} text */
export const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
