/* Bounds on a problem: the formulas that formulas.py exported, evaluated. */

import {constants} from "./constants.js"
import {linesOf} from "./drawing.js"

/** @typedef {import("./problem.js").Problem} Problem @typedef {import("./types").Formula} Formula @typedef {import("./types").ExportedBound} ExportedBound */
/** @typedef {import("./types").BoundFile} BoundFile @typedef {import("./types").Evaluated} Evaluated @typedef {Record<string, number>} Values */
/** @typedef {{method: string, sampling: string, batch: number | null}} Drawn */

const W_STEPS = 100 // of Halley's method; a few do

/**
 * The theorem that promises the fewest passes until the relative gap is the target; null: none does.
 * @param {BoundFile} file @param {Problem} problem @param {Drawn} drawn @param {number} target @returns {Evaluated | null}
 */
export function bounds(file, problem, drawn, target) {
  const {P, D} = problem.atZero, about = file.theorems[key(drawn)] ?? []
  if (!(P - D > 0)) return null
  for (const [k, chains] of about.entries()) {
    const found = chains.flatMap((chain) => {
      const {bound, values, line} = on(problem, chain, drawn, P - D) ?? {}
      const last = k === 0 && !!bound?.curve && bound.bounded === chain[0].bounded
      return bound && values ? [{bound, values, line: line ?? null, last, passes: passesTo({bound, values}, target)}] : []
    }).filter(({passes}) => Number.isFinite(passes))
    if (found.length) return found.reduce((best, each) => (each.passes < best.passes ? each : best))
  }
  return null
}

/** Passes until the relative gap is at this level. @param {{bound: ExportedBound, values: Values}} evaluated @param {number} level */
export function passesTo({bound, values}, level) {
  const at = {...values, eps: level * (values.P0 / values.rho)}
  return Math.max(evaluate(bound.expr, at) + evaluate(bound.setup, at) / values.nnz, 0)
}

/** Why no theorem speaks, in a sentence. @param {BoundFile} file @param {Problem} problem @param {Drawn} drawn */
export const withoutTheorem = (file, problem, drawn) => file.without[`${key(drawn)} ${kind(problem)}`] ?? ""

/** Why a method cannot run so, in a sentence; empty if it can. @param {BoundFile} file @param {{loss: string, l1: number}} weights @param {Drawn} drawn */
export const refusal = (file, weights, drawn) => file.refusals[`${key(drawn)} ${kind(weights)}`] ?? ""

/** @param {Drawn} drawn */
const key = ({method, sampling, batch}) => `${method} ${batch === null ? sampling : "batch"}`
/** @param {{loss: string, l1: number}} weights */
const kind = ({loss, l1}) => `${loss} ${l1 > 0 ? "ElasticNet" : "L2"}`

/** The first theorem of a chain that covers a problem, with the values of its symbols there. @param {Problem} problem @param {ExportedBound[]} chain @param {Drawn} drawn @param {number} start */
function on(problem, chain, drawn, start) {
  const all = plain(problem), known = {...all, rho: start / all.P0, P0: start, ...(drawn.batch === null ? {} : {m: drawn.batch})}
  for (const bound of chain) {
    /** @type {Values} */
    const values = {...known}
    for (const [name, formula] of bound.defaults) values[name] ??= evaluate(formula, values)
    if (!bound.assumptions.every((formula) => evaluate(formula, values))) continue
    const found = drawnBy(problem, bound, drawn)
    return {bound, values: {...values, ...found.values, P0: start, D0: start, rho: known.rho}, line: found.line}
  }
}

/** @param {Problem} problem @returns {Values} */
function plain(problem) {
  const {rows, columns, more, ...own} = constants(problem)
  return {...own, ...more, infinity: Infinity}
}

/** The symbols of a formula. @param {Formula} formula @returns {Generator<string>} */
export function* names(formula) {
  if (typeof formula === "string" && formula !== "infinity") yield formula
  if (Array.isArray(formula)) for (const part of formula.slice(1)) yield* names(part)
}

// ------------------------------------------------------------ what the sampling says
/** What depends on the probabilities of the lines. @param {Problem} problem @param {ExportedBound} bound @param {Drawn} drawn @returns {{values: Values, line: number | null}} */
function drawnBy(problem, bound, {method, sampling, batch}) {
  const used = new Set([bound.W, bound.expr].flatMap((formula) => (formula === null ? [] : [...names(formula)])))
  if (!(bound.side === "primal" || bound.side === "dual") || !(bound.K || ["W", "p_min", "v_p", "w2_p"].some((name) => used.has(name)))) return {values: {}, line: null}
  const {p, s, counts, norms2} = linesOf(problem, method, sampling, batch, problem.l2, true)
  const lines = Array.from(p.keys()).filter((k) => p[k] > 0 || counts[k] > 0), needed = lines.filter((k) => counts[k] > 0)
  const most = (/** @type {(k: number) => number} */ f, /** @type {number[]} */ among) => among.reduce((top, k) => Math.max(top, f(k)), 0)
  /** @type {Values} */
  const values = {W: p.reduce((total, each, k) => total + each * counts[k], 0)}
  values.p_min = needed.reduce((least, k) => Math.min(least, p[k]), 1)
  values.v_p = needed.reduce((total, k) => total + norms2[k] / p[k], 0) / p.length ** 2
  values.w2_p = most((k) => norms2[k] / (problem.gamma * problem.n * p[k]), needed) * constants(problem).more.w2
  if (bound.K === null) return {values, line: null}
  values.K = evaluate(bound.K, plain(problem), {lines, s, p})
  return {values, line: lines.reduce((top, k) => (s[k] / p[k] > s[top] / p[top] ? k : top), lines[0])}
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
