// Fractions of whole numbers; and exponentials and logarithms, which are none, as fractions that are no smaller.

/** @typedef {{n: bigint, d: bigint}} Fraction  n/d, with d > 0 */

const F = 256n // bits behind the point of what is rounded up
const G = 320n // with so many bits it is worked out, each step rounded down
const ONE = 1n << G
const SLACK = 1n << 40n // more than all these steps lose, in units of the last bit: see `exponential` and `ln`
const HALVINGS = 16n // of an argument, before its series

export const ZERO = {n: 0n, d: 1n}

/** @param {Fraction} a @param {Fraction} b @returns {Fraction} */
export const add = (a, b) => ({n: a.n * b.d + b.n * a.d, d: a.d * b.d})
/** @param {Fraction} a @param {Fraction} b @returns {Fraction} */
export const subtract = (a, b) => add(a, {n: -b.n, d: b.d})
/** @param {Fraction} a @param {Fraction} b @returns {Fraction} */
export const multiply = (a, b) => ({n: a.n * b.n, d: a.d * b.d})
/** a/b, for b > 0. @param {Fraction} a @param {Fraction} b @returns {Fraction} */
export const divide = (a, b) => ({n: a.n * b.d, d: a.d * b.n})
/** Below 0, 0 or above, as a is less than b, the same, or more. @param {Fraction} a @param {Fraction} b */
export const compare = (a, b) => Number(a.n * b.d > b.n * a.d) - Number(a.n * b.d < b.n * a.d)
/** @param {Fraction} a @returns {Fraction} */
export const absolute = (a) => ({n: a.n < 0n ? -a.n : a.n, d: a.d})
/** The least whole number that is at least n/d. @param {bigint} n @param {bigint} d */
export const ceiling = (n, d) => (n > 0n ? (n + d - 1n) / d : n / d)

const bits = new DataView(new ArrayBuffer(8))
/** A double is n/2^places. @param {number} x @returns {{n: bigint, places: number}} */
export function double(x) {
  if (Number.isSafeInteger(x)) return {n: BigInt(x), places: 0}
  bits.setFloat64(0, x)
  const word = bits.getBigUint64(0)
  const field = Number((word >> 52n) & 0x7ffn)
  let n = (word & 0xfffffffffffffn) | (field ? 1n << 52n : 0n)
  let places = 1075 - (field || 1)
  while (places > 0 && !(n & 1n)) {
    n >>= 1n
    places -= 1
  }
  if (places < 0) [n, places] = [n << BigInt(-places), 0]
  return {n: x < 0 ? -n : n, places}
}

/** @param {number} x @returns {Fraction} */
export function fraction(x) {
  const {n, places} = double(x)
  return {n, d: 1n << BigInt(places)}
}

let LN2 = 0n // sum over k of 1/(k 2^k)
for (let k = 1n; k < G; k++) LN2 += (ONE >> k) / k

/** exp(x) for x <= 0 in units of 2^-G, rounded down: halved 16 times, its series, and squared as often. @param {bigint} x */
function exponential(x) {
  const k = -x / LN2 + 1n // x + k ln 2 is from 0 to ln 2
  if (k > F) return 0n
  const r = (x + k * LN2) >> HALVINGS
  let [sum, term] = [ONE, ONE]
  for (let i = 1n; term > 0n; i++) sum += term = ((term * r) >> G) / i
  for (let i = 0n; i < HALVINGS; i++) sum = (sum * sum) >> G // doubles what the series has lost, below 2^9 units
  return sum >> k
}

/** A fraction that is at least exp(x), for x <= 0. @param {Fraction} x @returns {Fraction} */
export const expUp = ({n, d}) => ({n: ((exponential(ceiling(n << G, d)) + SLACK) >> (G - F)) + 1n, d: 1n << F})

/**
 * A fraction that is at least ln(x), for x > 0: x = 2^e m, with m from 1 to 2; for a y near ln(m), ln(m) = y + ln(1 + t),
 * where 1 + t = m exp(-y) is so near 1 that a few terms suffice.
 * @param {Fraction} x @returns {Fraction}
 */
export function lnUp({n, d}) {
  let e = n.toString(2).length - d.toString(2).length
  if (e < 0 ? n << BigInt(-e) < d : n < d << BigInt(e)) e -= 1
  const m = e < 0 ? ceiling(n << (G - BigInt(e)), d) : ceiling(n << G, d << BigInt(e))
  const y = BigInt(Math.round(Math.log(Number(m >> (G - 60n)) / 2 ** 60) * 2 ** 52)) << (G - 52n)
  const t = ((m * exponential(-y)) >> G) - ONE
  let [sum, power] = [y, t]
  for (let i = 1n; i < 9n; i++) [sum, power] = [sum + (i % 2n ? power : -power) / i, (power * t) >> G] // |t| < 2^-48
  return {n: ((sum + BigInt(e) * LN2 + SLACK) >> (G - F)) + 1n, d: 1n << F}
}

/** A fraction as text with so many digits, rounded up, or down. @param {Fraction} x @param {number} digits @param {boolean} [down] @returns {string} */
export function decimal(x, digits, down = false) {
  if (x.n < 0n) return `-${decimal(absolute(x), digits, !down)}`
  if (x.n === 0n) return "0"
  let places = digits - x.n.toString().length + x.d.toString().length // behind the point
  const whole = () => {
    const [n, d] = places < 0 ? [x.n, x.d * 10n ** BigInt(-places)] : [x.n * 10n ** BigInt(places), x.d]
    return (down ? n / d : ceiling(n, d)).toString()
  }
  if (whole().length > digits) places -= 1
  const found = whole().padEnd(digits, "0")
  const power = found.length - 1 - places
  if (power < -5 || power >= digits) return `${found[0]}${digits > 1 ? `.${found.slice(1)}` : ""}e${power}`
  return power < 0 ? `0.${"0".repeat(-power - 1)}${found}` : places > 0 ? `${found.slice(0, -places)}.${found.slice(-places)}` : found
}
