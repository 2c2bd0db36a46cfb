/* Numbers as people write them. */

/** @type {Record<string, string>} */
const RAISED = {"-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹"}
const NOTHING = "–"
const WHOLE = new Intl.NumberFormat("en") // kept: making one takes longer than a frame has for all numbers

/** @type {Map<number, Intl.NumberFormat>} By digits. */
const ROUNDED = new Map()

/**
 * 10 with an exponent.
 * @param {number} exponent
 */
export const power = (exponent) => `10${[...String(exponent)].map((each) => RAISED[each]).join("")}`

/**
 * Three digits, or as many as asked; powers of ten only where they are shorter. The same as `number` in words.py.
 * @param {number | null | undefined} value
 * @param {number} [digits]
 * @returns {string}
 */
export function number(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return NOTHING
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞"
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return WHOLE.format(value)
  const rounded = Number(value.toPrecision(digits)), size = Math.abs(rounded)
  if (size >= 1e-3 && size < 1e7) {
    if (!ROUNDED.has(digits)) ROUNDED.set(digits, new Intl.NumberFormat("en", {maximumSignificantDigits: digits}))
    return /** @type {Intl.NumberFormat} */ (ROUNDED.get(digits)).format(rounded)
  }
  const [mantissa, exponent] = rounded.toExponential().split("e")
  const raised = power(Number(exponent))
  return mantissa === "1" ? raised : `${mantissa}·${raised}`
}

/**
 * A count with its noun.
 * @param {number} count @param {string} noun
 */
export const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : noun.endsWith("s") ? "es" : "s"}`

/**
 * How many times, with two digits.
 * @param {number} ratio
 */
export const times = (ratio) => `${number(ratio, 2)}×`
