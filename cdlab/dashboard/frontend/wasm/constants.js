/* The numbers that bounds read, by the names of `Bound.at`: `Problem.constants` and theory/constants.py. */

import {largestEigenvalue, largestEigenvalueBound} from "./eigenvalues.js"

/** @typedef {import("./problem.js").Problem} Problem @typedef {import("./kernels.js").NDArray} NDArray */

const KINK_OFFSET = 2 ** -30 // as far from 0 that predictions are on one side of a kink
const STEP_EXPONENTS = Array.from({length: 60}, (_, k) => k - 40) // of 2, times 1/max |x_i'u|
const ROUNDING = 2 * Number.EPSILON // of P and D
const LARGE_PREDICTION = 2 ** 100 // beyond it no slope of a Lipschitz loss changes

const sum = (/** @type {Float64Array} */ values) => values.reduce((a, b) => a + b, 0)
const largest = (/** @type {Float64Array} */ values) => values.reduce((a, b) => Math.max(a, b), 0)
const dot = (/** @type {Float64Array} */ a, /** @type {Float64Array} */ b) => a.reduce((total, x, k) => total + x * b[k], 0)

/** @type {WeakMap<Problem, import("./types").Constants>} */
const known = new WeakMap()

/** @param {Problem} problem @returns {import("./types").Constants} */
export function constants(problem) {
  const found = known.get(problem) ?? measured(problem)
  known.set(problem, found)
  return found
}

/** @param {Problem} problem @returns {import("./types").Constants} */
function measured(problem) {
  const {n, d, nnz, l2, l1, gamma, lipschitz: L, rowProfile: rows, columnProfile: columns, atZero: {P, D}} = problem
  const R = Math.sqrt(largest(rows.norms2)), gap0 = Math.max(0, P - D) + ROUNDING * (Math.abs(P) + Math.abs(D)), beta = 1 / gamma, most = largestEigenvalueBound(problem), Rbar = sum(rows.norms2.map(Math.sqrt)) / n
  const {norm2, products} = gamma > 0 ? largestEigenvalue(problem) : {norm2: Infinity, products: 0}
  const least = (/** @type {number[]} */ ...values) => Math.min(...values)
  return {
    n, d, nnz, l2, l1, gamma, L, R, R_col: Math.sqrt(largest(columns.norms2)), C_P: dot(columns.norms2, columns.counts), C_D: dot(rows.norms2, rows.counts),
    P_zero: P, gap0, L_f: (norm2 * beta) / n || 1, L_P: gamma > 0 ? (most * beta) / n + l2 : Infinity, rows, columns,
    more: {
      m: 1, Rbar, bend: (slopeWidth(problem) ** 2 * least(Rbar ** 2, most / n)) / l2, F: sum(rows.norms2), D0: gap0, mu: l2, norm_passes: products, P0: leastDecrease(problem),
      w2: least((2 * gap0) / l2, l1 > 0 ? (P / l1) ** 2 : Infinity),
      a2: least(gamma > 0 ? (2 * n * gap0) / gamma : Infinity, n * L ** 2),
      g2: least(gamma > 0 ? (2 * R ** 2 * P) / gamma : Infinity, (L * R) ** 2),
    },
  }
}

/** The width of the interval of -phi'. @param {Problem} problem */
function slopeWidth(problem) {
  const {memory, n} = problem
  return memory.scratch(() => {
    const at = (/** @type {number} */ u) => Float64Array.from(problem.alpha(memory.filled(n, () => u)).view), low = at(LARGE_PREDICTION)
    return largest(at(-LARGE_PREDICTION).map((x, i) => x - low[i]))
  })
}

/** A lower bound of P(0) - P*: the largest P(0) - P(t u) along the steepest descent u from 0. @param {Problem} problem */
function leastDecrease(problem) {
  const {memory, n, d, l1, atZero} = problem
  return memory.scratch(() => {
    const beside = (/** @type {number} */ shift) => problem.v(problem.alpha(memory.filled(n, () => shift))) // minus the gradient of the mean loss
    const up = beside(KINK_OFFSET), down = beside(-KINK_OFFSET) // at a kink the mean of both sides
    const u = memory.filled(d, (j) => {
      const slope = (up.view[j] + down.view[j]) / 2
      return Math.sign(slope) * Math.max(Math.abs(slope) - l1, 0)
    })
    const z = problem.predict(u), most = largest(z.view.map(Math.abs))
    if (most === 0) return 0
    const falls = STEP_EXPONENTS.map((exponent) => memory.scratch(() => {
      const t = 2 ** exponent / most
      return atZero.P - problem.primal({w: memory.filled(d, (j) => t * u.view[j]), z: memory.filled(n, (i) => t * z.view[i])})
    }))
    return falls.filter(Number.isFinite).reduce((a, b) => Math.max(a, b), 0)
  })
}
