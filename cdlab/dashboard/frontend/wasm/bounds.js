/* Bounds on a problem: the formulas that formulas.py exported, evaluated, or refused in Python's words. */

import {constants} from "./constants.js"
import {linesOf} from "./drawing.js"

/** @typedef {import("./problem.js").Problem} Problem @typedef {import("./types").Formula} Formula @typedef {import("./types").ExportedBound} ExportedBound */
/** @typedef {import("./types").BoundFile} BoundFile @typedef {import("./types").BoundAnswer} BoundAnswer @typedef {Record<string, number>} Values */

const DIGITS = 6 // of numbers in sentences, as Python's "g"
const STAGE_ROUNDING = 1e-12 // of the stages done, so that one that has just ended counts
const W_STEPS = 100 // of Halley's method; a few do

/**
 * Passes until the theorem's quantity is at most eps of its unit, for a problem; `Bound.for_problem`, or with `on: "gap"`
 * that of `Bound.on_gap`.
 * @param {BoundFile} file @param {Problem} problem @param {string} method @param {string} sampling
 * @param {{eps?: number, absolute?: number, batch?: number, on?: "own" | "gap"}} [options] @returns {BoundAnswer}
 */
export function bounds(file, problem, method, sampling, {eps = 1e-6, absolute, batch, on = "own"} = {}) {
  const key = `${method} ${batch === undefined ? sampling : "tau_nice"}${on === "gap" ? " gap" : ""}`, chain = file.theorems[key]
  if (!chain) return {value: null, refused: file.uncovered[key] ?? `no theorem covers ${method} with ${sampling} sampling`, bound: null, values: {}, line: null}
  const known = {...plain(problem), P0: constants(problem).gap0, ...(batch === undefined ? {} : {m: batch})}, found = covering(chain, known)
  if ("failed" in found) return {value: null, refused: sentence(found.bound, found.failed, found.values), bound: null, values: {}, line: null}
  const {bound} = found, drawn = drawnBy(problem, bound, method, sampling, batch), values = {...found.values, ...drawn.values}
  const counted = {...values, P0: constants(problem).more.P0}, line = settingLine(problem, bound, drawn.line)
  if (counted.P0 === 0 && absolute === undefined) return {value: values.P0 === 0 ? 0 : Infinity, refused: "", bound, values, line}
  const accuracy = absolute ?? eps * evaluate(bound.unit, counted), setup = evaluate(bound.setup, counted) / problem.nnz
  return {value: Math.max(0, evaluate(bound.expr, {...counted, eps: accuracy})) + setup, refused: "", bound, values: {...values, eps: accuracy}, line}
}

/** The guarantee after so many passes, absolute: `Bound.curve`; none where the theorem has no curve. @param {BoundAnswer} answer @param {number[]} passes */
export function curve({bound, values}, passes) {
  if (!bound?.guarantee || bound.W === null) return null
  const {guarantee, W, setup, step} = bound, cost = evaluate(W, values) / values.nnz, before = evaluate(setup, values) / values.nnz
  return passes.map((each) => {
    const done = Math.max(each - before, 0) / cost
    return Math.max(0, evaluate(guarantee, {...values, t: step === "stage" ? Math.floor(done * (1 + STAGE_ROUNDING)) : done}))
  })
}

/** Why a method cannot run so, in Python's words; null if it can. @param {BoundFile} file @param {Problem} problem @param {string} method @param {string} sampling */
export function refusal(file, {loss, l1}, method, sampling) {
  return file.refusals[`${method} ${sampling} ${loss} ${l1 > 0 ? "ElasticNet" : "L2"}`] ?? null
}

/** @param {Problem} problem @returns {Values} */
function plain(problem) {
  const {rows, columns, more, ...own} = constants(problem)
  return {...own, ...more, infinity: Infinity}
}

// ------------------------------------------------------------ the theorem that covers a problem
/** @param {ExportedBound[]} chain @param {Values} known @returns {{bound: ExportedBound, values: Values} | {bound: ExportedBound, values: Values, failed: ExportedBound["assumptions"][number]}} */
function covering(chain, known) {
  let failure
  for (const bound of chain) {
    const values = {...known}
    for (const [name, formula] of bound.defaults) values[name] ??= evaluate(formula, values)
    const failed = bound.assumptions.find(({formula}) => !evaluate(formula, values))
    if (!failed) return {bound, values}
    failure = {bound, values, failed}
  }
  return /** @type {NonNullable<typeof failure>} */ (failure)
}

/** @param {ExportedBound} bound @param {ExportedBound["assumptions"][number]} failed @param {Values} values */
function sentence(bound, {formula, words}, values) {
  const here = [...new Set(names(formula))].sort().map((name) => `${name} = ${general(values[name])}`).join(" and ")
  const other = bound.instead?.find(({covers}) => covers.every((each) => [...names(each)].some((name) => values[name] === undefined) || evaluate(each, values)))
  return `the ${bound.name} needs ${words}, but this problem has ${here}${other ? `; bound(${other.where}) covers it` : ""}`
}

/** @param {Formula} formula @returns {Generator<string>} */
function* names(formula) {
  if (typeof formula === "string" && formula !== "infinity") yield formula
  if (Array.isArray(formula)) for (const part of formula.slice(1)) yield* names(part)
}

/** A number as Python's "{:g}". @param {number} x */
function general(x) {
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf"
  const exponent = x === 0 ? 0 : Number(x.toExponential(DIGITS - 1).split("e")[1])
  if (exponent >= -4 && exponent < DIGITS) return String(Number(x.toPrecision(DIGITS)))
  const [digits] = x.toExponential(DIGITS - 1).split("e")
  return `${Number(digits)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`
}

// ------------------------------------------------------------ what the sampling says
/** K and W by the probabilities of the lines. @param {Problem} problem @param {ExportedBound} bound @param {string} method @param {string} sampling @param {number} [batch] @returns {{values: Values, line: number | null}} */
function drawnBy(problem, bound, method, sampling, batch) {
  if (bound.side !== "primal" && bound.side !== "dual") return {values: {}, line: null}
  const asDrawn = linesOf(problem, method, sampling, batch ?? null, problem.l2, true), {p, s, counts} = asDrawn
  /** @type {Values} */
  const values = bound.W !== null && [...names(bound.W), ...names(bound.expr)].includes("W") ? {W: p.reduce((total, each, k) => total + each * counts[k], 0)} : {}
  if (bound.K === null) return {values, line: null}
  const lines = Array.from(p.keys()).filter((k) => p[k] > 0 || counts[k] > 0)
  let line = null, top = -Infinity
  for (const k of lines) if (s[k] / p[k] > top) [top, line] = [s[k] / p[k], k]
  values.K = evaluate(bound.K, {...plain(problem)}, {lines, s, p})
  return {values, line}
}

/** The line that sets the value: that of the largest s/p or norm in the formula. @param {Problem} problem @param {ExportedBound} bound @param {number | null} line @returns {BoundAnswer["line"]} */
function settingLine({rowProfile, columnProfile}, bound, line) {
  if (line !== null) return {side: /** @type {"primal" | "dual"} */ (bound.side), index: line}
  const heaviest = (/** @type {Float64Array} */ norms2) => norms2.indexOf(norms2.reduce((a, b) => Math.max(a, b), 0)), used = new Set(names(bound.expr))
  if (used.has("R_col")) return {side: "primal", index: heaviest(columnProfile.norms2)}
  return used.has("R") ? {side: "dual", index: heaviest(rowProfile.norms2)} : null
}

// ------------------------------------------------------------ formulas
/** @type {Record<string, (...values: number[]) => number | boolean>} */
const FUNCTIONS = {
  "+": (...values) => values.reduce((a, b) => a + b), "*": (...values) => values.reduce((a, b) => a * b), "/": (a, b) => a / b, "^": (a, b) => a ** b,
  "==": (a, b) => a === b, ">": (a, b) => a > b, ">=": (a, b) => a >= b, "<": (a, b) => a < b, "<=": (a, b) => a <= b,
  sqrt: Math.sqrt, exp: Math.exp, log: Math.log, log1p: Math.log1p, max: Math.max, min: Math.min, ceil: Math.ceil, floor: Math.floor, abs: Math.abs, lambert: lambertW,
}

/** @param {Formula} formula @param {Values} values @param {{lines: number[], s: Float64Array, p: Float64Array}} [drawn] @returns {any} */
export function evaluate(formula, values, drawn) {
  if (typeof formula === "number") return formula
  if (typeof formula === "string") {
    if (values[formula] === undefined) throw new Error(`a bound needs ${formula}, which is not known here`)
    return values[formula]
  }
  const [name, ...parts] = formula
  if (name === "largest" && drawn) return drawn.lines.reduce((most, k) => Math.max(most, evaluate(parts[0], {...values, s_i: drawn.s[k], p_i: drawn.p[k]})), -Infinity)
  if (name === "cases") {
    for (let k = 0; k < parts.length; k += 2) if (evaluate(parts[k + 1], values)) return evaluate(parts[k], values)
  }
  return FUNCTIONS[name](...parts.map((part) => evaluate(part, values, drawn)))
}

/** The branch k (0 or -1) of Lambert's W: w e^w = x, by Halley's method. @param {number} x @param {number} k */
function lambertW(x, k = 0) {
  let w = k === 0 ? Math.log1p(x) : Math.log(-x) - Math.log(-Math.log(-x))
  for (let step = 0; step < W_STEPS; step++) {
    const e = Math.exp(w), f = w * e - x, next = w - f / (e * (w + 1) - ((w + 2) * f) / (2 * w + 2))
    if (!(Math.abs(next - w) > 1e-15 * Math.abs(next))) return Number.isNaN(next) ? w : next
    w = next
  }
  return w
}
