/* First states at w = 0, alpha = 0: what `Method.init` makes. A field `_` is the class of a struct, as kernels know it. */

import {largestEigenvalue} from "./eigenvalues.js"

/** @typedef {import("./problem.js").Problem} Problem @typedef {import("./drawing.js").Lines} Lines */

const SMALLEST_SMOOTHNESS = 1e-300 // of X = 0
const LARGEST_ROOT = 1 - 1e-8 // of apcg's sqrt(mu), and of acc_rcd's b
const STEP_TABLE = [1024, 2] // lazy_prox.py

/** Whether one line at a time is drawn, and each equally often. @param {Float64Array} p @param {number | null} batch */
const isEven = (p, batch) => batch === null && p.every((each) => each === p[0])
const least = (/** @type {Float64Array} */ values) => values.reduce((a, b) => Math.min(a, b), Infinity)
const largest = (/** @type {Float64Array} */ values) => values.reduce((a, b) => Math.max(a, b), -Infinity)

/** alpha = 0, but its optimum -phi'(0) where the row is empty. @param {Problem} problem */
function settled({memory, n, rowProfile, ...problem}) {
  const alpha = memory.array("float64", [n])
  if (rowProfile.counts.every((count) => count > 0)) return alpha
  memory.call("minus_slopes", problem.struct, memory.array("float64", [n]), problem.y, alpha)
  rowProfile.counts.forEach((count, i) => { if (count > 0) alpha.view[i] = 0 })
  return alpha
}

/** Steps of length tau that are made many at once. @param {Problem} problem @param {number} tau @param {number} l2 */
function stepTable({memory}, tau, l2) {
  const table = {_: "StepTable", tau, l2, high: memory.array("float64", STEP_TABLE), low: memory.array("float64", STEP_TABLE)}
  memory.call("_fill_step_table", table)
  return table
}

/** The smoothness of each example's loss along its row, or what the ESO has for it. @param {Problem} problem @param {Float64Array} norms2 */
function smoothness({gamma, l2}, norms2) {
  return norms2.map((v) => Math.max((1 / gamma) * v, SMALLEST_SMOOTHNESS * Math.max(1, l2)))
}

/** SPDC's steps for the problem with so much added to gamma. @param {Problem} problem @param {any} S @param {number} inLoss */
export function spdcSteps(problem, S, inLoss) {
  const {n, l2} = problem, gamma = problem.gamma + inLoss
  const tau = Math.sqrt((S.m * gamma) / (n * l2)) / (2 * S.M), s = 1 / (4 * S.M ** 2 * tau)
  const rate = 1 - 1 / Math.max(1 + 1 / (2 * tau * l2), S.N + n / (2 * S.m * s * gamma))
  const table = S.table ? {...S.table, tau, l2} : stepTable(problem, tau, l2)
  if (S.table) problem.memory.call("_fill_step_table", table)
  return {...S, reg: problem.reg, table, s, theta: rate, rate, delta: inLoss, fall: 1}
}

/** @type {Record<string, (problem: Problem, lines: Lines) => any>} */
export const STARTS = {
  sdca(problem, {norms2, batch}) {
    const {memory, n, l2} = problem, alpha = settled(problem)
    const q = memory.floats(norms2.map((v) => v / (l2 * n)))
    return {_: "State", alpha, v: problem.v(alpha), q, scratch: memory.array("float64", [3]), h: memory.array("float64", [batch === null ? 0 : n])}
  },
  quartz(problem, {s, p, batch}) {
    const {memory, n, l2} = problem, alpha = settled(problem)
    const theta = p.reduce((least, each, i) => (each > 0 ? Math.min(least, each * ((l2 * n) / s[i])) : least), Infinity)
    const steps = memory.floats(p.map((each) => (each > 0 ? theta / each : 0)))
    return {_: "State", alpha, v: problem.v(alpha), s: steps, h: memory.array("float64", [batch === null ? 0 : n])}
  },
  rcd({memory, n, d}, {s, batch}) {
    const L = memory.floats(s.map((each) => (each > 0 ? each / n : 1)))
    return {_: "State", w: memory.array("float64", [d]), z: memory.array("float64", [n]), L, h: memory.array("float64", [batch === null ? 0 : d])}
  },
  spdc(problem, {p}) {
    const {memory, n, d, gamma, l2, lipschitz} = problem, norms = problem.rowProfile.norms2.map(Math.sqrt), uneven = p.some((each) => each !== p[0])
    const M = (uneven ? 2 * (norms.reduce((a, b) => a + b, 0) / n) : largest(norms)) || 1, N = uneven ? 2 * n : n
    const none = memory.array("float64", [0])
    const S = {_: "State", rows: memory.array("float64", [d, 4]), y: memory.array("float64", [n]), p: memory.floats(p), xbar: none, change: none, m: 1, M, N, t: 0}
    const free = (M ** 2 * n) / N ** 2 // l2 gamma that costs nothing
    return spdcSteps(problem, S, gamma === 0 ? Math.min((problem.atZero.P || 1) / lipschitz ** 2, free / l2) : 0)
  },
  apcg({memory, n, d, gamma, l2}, {norms2, p, batch}) {
    const nL = norms2.map((v) => v / (l2 * n) + gamma), even = isEven(p, batch)
    const a = even ? Math.min(Math.sqrt(gamma / largest(nL)), LARGEST_ROOT) / n : least(nL.map((each, i) => p[i] * Math.min(Math.sqrt(gamma / each), LARGEST_ROOT)))
    const b = even ? new Float64Array(0) : p.map((each) => a / each), c = memory.floats(nL.map((each, i) => (even ? n * a : b[i]) * each - gamma))
    return {
      _: "State", u: memory.array("float64", [n]), v: memory.array("float64", [n]), qp: memory.array("float64", [d, 2]), c, b: memory.floats(b), h: memory.array("float64", [b.length]),
      r: 1, a, gamma, L_f: 0, extra: 0, epochs: 0,
    }
  },
  acc_rcd({memory, n, d, l1, l2}, {s, p, batch}) {
    const even = isEven(p, batch), blocks = (/** @type {boolean} */ none) => memory.array("float64", [none ? 0 : d])
    const carried = (/** @type {Float64Array} */ L) => even ? {p: blocks(true), h: blocks(true), r: 1, b: Math.min(LARGEST_ROOT, Math.sqrt(l2 / largest(L)))}
      : {p: memory.floats(p), h: blocks(false), r: 1, b: least(L.map((each, j) => p[j] * Math.min(LARGEST_ROOT, Math.sqrt(l2 / each))))}
    const L = s.map((each) => each / n), pairs = memory.array("float64", [d, 2]), products = memory.array("float64", [n, 2])
    if (l1 > 0) return {_: "APCGState", vu: pairs, Xvu: products, L: memory.floats(L), ...carried(L)}
    const M2 = largest(L.map((each, j) => each / p[j] ** 2)), tau = 2 / (1 + Math.sqrt(1 + (4 * M2) / l2)), eta = 1 / (tau * M2)
    return {_: "State", mq: pairs, Xmq: products, L: memory.floats(L), p: memory.floats(p), h: blocks(batch === null), r: 1, tau, eta, a: (eta * l2 * (1 - tau)) / (eta * l2 + tau)}
  },
  adasdca({memory, n, d, l2, gamma, rowProfile}) {
    const zeros = () => memory.array("float64", [n]), counts = memory.array("int64", [n], BigInt64Array.from(rowProfile.counts, BigInt))
    return {_: "State", alpha: zeros(), v: memory.array("float64", [d]), q: memory.floats(rowProfile.norms2.map((v) => v / (l2 * n))), counts, residual: zeros(), weight: zeros(), gamma, visited: 0}
  },
  greedy(problem, {s}) {
    const {memory, n, d, columnProfile} = problem, z = memory.array("float64", [n]), derivative = problem.alpha(z)
    for (let i = 0; i < n; i++) derivative.view[i] = -derivative.view[i]
    const counts = memory.array("int64", [d], BigInt64Array.from(columnProfile.counts, BigInt))
    return {_: "State", w: memory.array("float64", [d]), z, derivative, L: memory.floats(s.map((each) => each / n)), scale: memory.filled(d, () => 1), counts, plain: {_: "L2", l2: 1}, visited: 0}
  },
  asdca(problem, {batch}) {
    const {memory, n, d, l2, gamma, rowProfile} = problem, m = batch ?? 1, k = (n * l2 * gamma) / largest(rowProfile.norms2) // infinite where X = 0
    const theta = Math.min(1, Math.sqrt(k / m), k, k ** (2 / 3) / m ** (1 / 3)) / 4, alpha = memory.array("float64", [n])
    const zeros = {v: memory.array("float64", [d]), x: memory.array("float64", [d, 2]), change: memory.array("float64", [n])}
    return {_: "State", alpha, ...zeros, t: 0, theta, table: stepTable(problem, theta / (1 - theta), 1), plain: {_: "L2", l2: 1}}
  },
  saga(problem, {norms2, p, batch}) {
    const {memory, n, d, l2} = problem, weight = p.map((each) => 1 / n / each), alpha = problem.alpha(memory.array("float64", [n])), v = problem.v(alpha)
    const rows = memory.array("float64", [d, 4])
    for (let j = 0; j < d; j++) rows.view[4 * j + 1] = -v.view[j]
    const L = largest(smoothness(problem, norms2).map((each, i) => each * weight[i])), h = memory.array("float64", [batch === null ? 0 : n])
    return {_: "State", rows, tab: memory.filled(n, (i) => -alpha.view[i]), weight: memory.floats(weight), h, table: stepTable(problem, 1 / (3 * L), l2), t: 0, table_visits: 0.5 * problem.nnz}
  },
  svrg(problem, {p}) {
    const {memory, n, d, l2} = problem, weight = p.map((each) => 1 / (n * each)), zeros = () => memory.array("float64", [n])
    const L = largest(smoothness(problem, problem.rowProfile.norms2).map((each, i) => each * weight[i]))
    return {_: "State", rows: memory.array("float64", [d, 4]), tab: zeros(), change: zeros(), weight: memory.floats(weight), total: memory.array("float64", [d]), table: stepTable(problem, 0.1 / L, l2), m: 2 * n, left: 0, t: 0, gradients: 0}
  },
  sgd({memory, n, d}, {p}) {
    const zeros = () => memory.array("float64", [d]), window = {_: "Window", first: 0, sum_first: zeros(), middle: 0, sum_middle: zeros()}
    return {_: "State", x: zeros(), b: zeros(), weight: memory.floats(p.map((each) => 1 / (n * each))), c: 1, t: 0, a: 1, A: 0, window}
  },
  gd(problem) {
    const {memory, n, d} = problem, {norm2, products} = largestEigenvalue(problem)
    return {w: memory.array("float64", [d]), z: memory.array("float64", [n]), step: 1 / ((norm2 * (1 / problem.gamma)) / n || 1), passes: products}
  },
  agd({memory, n, d, gamma, rowProfile, columnProfile}) {
    const F = rowProfile.norms2.reduce((a, b) => a + b, 0), norm2 = Math.max(largest(rowProfile.norms2), largest(columnProfile.norms2), F / Math.min(n, d))
    const w = memory.array("float64", [d])
    return {w, z: memory.array("float64", [n]), w0: memory.copy(w), s: memory.copy(w), A: 0, L: (norm2 * (1 / gamma)) / n || 1, enough: (F * (1 / gamma)) / n, passes: 0}
  },
}
