/* Numbers and sentences, written as engine/numbers.py and engine/sentences.py of Python write them. */

import {site} from "./site.js"

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
const SHIFTED = 22 // places, up to which a power of ten is exact
const EXACT = 60 // digits, in which every number between 1e-3 and 1e7 is written without rounding

/** Digits with ties to even, as Python rounds. @param {string} exact @param {string} plain @param {number} cut */
const even = (exact, plain, cut) => (/^50*$/.test(exact.slice(cut)) && +exact[cut - 1] % 2 === 0 ? exact.slice(0, cut) : plain)

/** "{:.1f}". @param {number} x @param {number} places */
export function fixed(x, places) {
  const exact = x.toFixed(EXACT).replace(".", ""), whole = exact.length - EXACT, found = even(exact, "", whole + places)
  return found ? `${found.slice(0, whole)}${places ? `.${found.slice(whole)}` : ""}` : x.toFixed(places)
}

/** "{:.2e}": front and power. @param {number} x @param {number} digits @returns {[string, number]} */
function scientific(x, digits) {
  const [exact] = Math.abs(x).toExponential(EXACT).split("e"), [plain, power] = x.toExponential(digits - 1).split("e")
  const found = even(exact.replace(".", ""), "", digits)
  return [found ? `${x < 0 ? "-" : ""}${found[0]}${digits > 1 ? `.${found.slice(1)}` : ""}` : plain, +power]
}

const trimmed = (/** @type {string} */ text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text)
const grouped = (/** @type {string} */ text) => text.replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","))

/** A number as people write it. @param {number | null | undefined} x */
export function number(x, digits = 3) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–"
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "-∞"
  if (Number.isInteger(x) && Math.abs(x) < 1e7) return grouped(String(x))
  const [front, power] = scientific(x, digits), rounded = Number(`${front}e${power}`), size = Math.abs(rounded)
  if (size >= 1e-3 && size < 1e7) return trimmed(grouped(fixed(rounded, Math.max(0, digits - 1 - Math.floor(Math.log10(size))))))
  const raised = `10${String(power).replace(/./g, (each) => (each === "-" ? "⁻" : RAISED[+each]))}`
  return trimmed(front) === "1" ? raised : `${trimmed(front)}·${raised}`
}

/** A number for a sentence: three digits from 10 on, two below; counts and text stay. @param {number | string | null} x @returns {string} */
export function spoken(x) {
  if (typeof x === "string") return x
  return number(x, x === null || Math.abs(x) < 10 ? 2 : 3)
}

/** @param {number} count @param {string} word */
export const counted = (count, word) => `${grouped(String(count))} ${plural(word, count)}`
/** @param {string} word @param {number} count */
export const plural = (word, count) => (count === 1 ? word : `${word}s`)

/** @param {number | null | undefined} x */
export const finiteOrNone = (x) => (x !== null && x !== undefined && Number.isFinite(x) ? x : null)

/** What is only drawn need not be longer. @param {ArrayLike<number>} values @returns {number[]} */
export function rounded(values, digits = 4) {
  return Array.from(values, (x) => {
    if (!Number.isFinite(x) || x === 0) return 0
    const places = Math.max(-SHIFTED, Math.min(SHIFTED, digits - 1 - Math.floor(Math.log10(Math.abs(x))))), shift = Number(`1e${places}`)
    const shifted = x * shift, down = Math.floor(shifted)
    return (shifted - down === 0.5 ? down + (down % 2 === 0 ? 0 : 1) : Math.round(shifted)) / shift
  })
}

/** The sentence with this key, its places filled. @param {string} key @param {Record<string, number | string | null>} [numbers] */
export function told(key, numbers = {}) {
  return site.words[key].replace(/\{(\w+)\}/g, (_, name) => spoken(numbers[name]))
}

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1
  return sorted.length % 2 ? sorted[half] : sorted[half - 1] / 2 + sorted[half] / 2
}

/** @param {Iterable<number>} values */
export const sum = (values) => {
  let total = 0
  for (const each of values) total += each
  return total
}
