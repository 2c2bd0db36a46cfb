/* What theory says of an entry: the theorem and its curve, or why there is none; `engine/theorems.py`. */

import {bounds, passesTo, withoutTheorem} from "../wasm/index.js"
import {evaluate, names} from "../wasm/bounds.js"
import {number, told} from "./numbers.js"
import {withoutGain} from "./refusals.js"
import {site} from "./site.js"

/** @typedef {import("../src/schema").Theorem} Theorem @typedef {import("../wasm/types").ExportedBound} ExportedBound */
/** @typedef {import("./problems").Prepared} Prepared @typedef {import("./choices").Contestant} Contestant */

/** @param {Prepared} about @param {Contestant} entry @param {number} target @returns {Theorem} */
export function theorem({problem}, entry, target) {
  const found = bounds(site.theory, problem, entry, target)
  if (!found) return {label: entry.label, mathml: "", numbers: "", value: null, line: null, line_words: "", words: withoutGain(problem) || withoutTheorem(site.theory, problem, entry), curve: null, source: "", meanings: []}
  const {bound, last} = found, values = /** @type {Record<string, number>} */ ({...found.values, eps: target})
  const label = bound.method === entry.method ? entry.label : `${entry.label} (as ${bound.method})`, statement = told("theorem", {label, target: number(target)})
  return {
    label: entry.label, mathml: bound.mathml, numbers: inNumbers(bound, values), value: found.passes, ...settingLine(problem, bound),
    words: last ? statement : told("theorem.averages", {statement}), curve: last ? curve(found, target) : null, source: bound.source,
    meanings: bound.meanings.map(([mathml, words, name]) => [mathml, values[name] === undefined ? words : `${words}: ${number(values[name])}`]),
  }
}

/** The formula with numbers put in: "(1 + 995/4) × 19.4". @param {ExportedBound} bound @param {Record<string, number>} values */
function inNumbers({plus_one, ...bound}, values) {
  const [over, under, logarithm] = [bound.over, bound.under, bound.logarithm].map((formula) => evaluate(formula, values))
  const fraction = under === 1 ? number(over) : `${number(over)}/${number(under)}`, first = plus_one ? `(1 + ${fraction})` : fraction
  return logarithm === 1 ? first : `${first} × ${number(logarithm)}`
}

/** What sets the value: a line of X, or a sum over lines. @param {import("../wasm/problem").Problem} problem @param {ExportedBound} bound */
function settingLine({columnProfile, rowProfile}, {over, under, logarithm}) {
  const used = new Set([over, under, logarithm].flatMap((formula) => [...names(formula)])), {LINES, SUMS} = site.rules
  const found = Object.keys(LINES).find((name) => used.has(name))
  if (!found) return {line: null, line_words: SUMS[Object.keys(SUMS).find((name) => used.has(name)) ?? ""] ?? ""}
  const [side, line_words] = LINES[found], {norms2} = side === "primal" ? columnProfile : rowProfile
  return {line: heaviest(norms2), line_words}
}

/** The first of the lines with the largest norm: of equal ones, rounding does not choose. @param {Float64Array} norms2 */
export function heaviest(norms2) {
  const least = site.rules.ALIKE * norms2.reduce((a, b) => Math.max(a, b), 0)
  return norms2.findIndex((x) => x >= least)
}

/** @param {import("../wasm/types").Evaluated} found @param {number} target */
function curve(found, target) {
  const points = site.rules.CURVE_POINTS, gap = Array.from({length: points}, (_, k) => target ** (k / (points - 1)))
  return {passes: gap.map((level) => passesTo(found, level)), gap}
}
