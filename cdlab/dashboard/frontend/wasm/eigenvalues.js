/* The largest eigenvalue of X'X: by Lanczos' method from above but for chance, and a bound that is certain; eigenvalues.py. */

import {Generator as Random} from "./random.js"

/** @typedef {import("./problem.js").Problem} Problem @typedef {import("./kernels.js").NDArray} NDArray */

const TOLERANCE = 1e-3
const MISSED_SHARE = 0.01, MISSED_CHANCE = 1e-4
const EXACT_SIZE = 400 // lines of the smaller side up to which the bound is the eigenvalue itself
const CONVERGED = 1e-14 // residual, of the eigenvalue
const CHECK_EVERY = 8 // steps
const POWER_STEPS = 20, POWER_TOLERANCE = 1e-3
const LEAST_SHARE = 1e-100

const dot = (/** @type {Float64Array} */ a, /** @type {Float64Array} */ b) => a.reduce((total, x, k) => total + x * b[k], 0)

/** X'X u. @param {Problem} problem @param {Float64Array} u @param {any} X @returns {Float64Array} */
function gram({memory, ...problem}, u, X) {
  return memory.scratch(() => {
    const z = memory.array("float64", [problem.n]), out = memory.array("float64", [problem.d])
    memory.call("_dots", X, memory.floats(u), z)
    memory.call("_add_lines", X, z, out)
    return Float64Array.from(out.view)
  })
}

/** The tridiagonal matrix of Lanczos' method as it grows. @param {Problem} problem @param {boolean} orthogonal against all vectors, not the last two @returns {Generator<{diagonal: number[], beside: number[]}>} */
function* lanczos(problem, orthogonal) {
  let u = problem.memory.scratch(() => new Random(problem.memory, 0).normals(problem.d))
  const length = Math.sqrt(dot(u, u)), diagonal = /** @type {number[]} */ ([]), beside = /** @type {number[]} */ ([]), basis = /** @type {Float64Array[]} */ ([])
  u = u.map((x) => x / length)
  for (let previous = /** @type {Float64Array} */ (new Float64Array(problem.d)); beside.at(-1) !== 0; ) {
    const r = gram(problem, u, problem.rows.X)
    r.forEach((_, j) => { r[j] -= (beside.at(-1) ?? 0) * previous[j] })
    const along = dot(u, r)
    r.forEach((_, j) => { r[j] -= along * u[j] })
    if (orthogonal) {
      basis.push(u)
      for (const each of basis) {
        const part = dot(each, r)
        r.forEach((_, j) => { r[j] -= part * each[j] })
      }
    }
    const norm = Math.sqrt(dot(r, r)), scale = norm || 1
    diagonal.push(along)
    beside.push(norm)
    yield {diagonal, beside}
    previous = u
    u = r.map((x) => x / scale)
  }
}

/** Ritz values in ascending order, with their residuals. @param {Problem} problem @param {{diagonal: number[], beside: number[]}} matrix */
function ritzPairs({memory}, {diagonal, beside}) {
  return memory.scratch(() => {
    const m = diagonal.length, values = memory.floats(diagonal), off = memory.floats([...beside.slice(0, -1), 0]), last = memory.array("float64", [m])
    last.view[m - 1] = 1
    memory.call("tridiagonal_eigenvalues", values, off, last)
    const pairs = Array.from({length: m}, (_, k) => ({value: values.view[k], residual: beside[m - 1] * Math.abs(last.view[k])}))
    return pairs.sort((a, b) => a.value - b.value)
  })
}

/** By data: a slider of l2 or another loss asks again about the same X. @template T @param {(problem: Problem) => T} f @returns {(problem: Problem) => T} */
function keptByData(f) {
  const kept = /** @type {WeakMap<import("./types").Data, T>} */ (new WeakMap())
  return (problem) => {
    const found = kept.get(problem.data) ?? f(problem)
    kept.set(problem.data, found)
    return found
  }
}

/** ||X||^2 from above, up to TOLERANCE, and the products it took: each is a pass. */
export const largestEigenvalue = keptByData((problem) => {
  let norm2 = 0, products = 0
  for (const matrix of lanczos(problem, false)) {
    const pairs = ritzPairs(problem, matrix), top = pairs[pairs.length - 1]
    norm2 = top.value + top.residual
    products = pairs.length
    if (top.residual <= TOLERANCE * top.value && missedChance(pairs.map(({value}) => value), matrix.beside, problem.d) <= MISSED_CHANCE) break
  }
  return {norm2, products}
})

/** The chance that an eigenvalue larger by MISSED_SHARE is not seen. @param {number[]} ritz @param {number[]} beside @param {number} d */
function missedChance(ritz, beside, d) {
  if (beside.at(-1) === 0) return 0
  const beyond = (1 + MISSED_SHARE) * ritz[ritz.length - 1]
  const component = beside.reduce((total, x) => total + Math.log(x), 0) - ritz.reduce((total, x) => total + Math.log(beyond - x), 0)
  return Math.exp(Math.min(component, 0)) * Math.sqrt((2 * d) / Math.PI)
}

/** An upper bound of ||X||^2; for more than EXACT_SIZE lines by Collatz and Wielandt, which no chance enters. */
export const largestEigenvalueBound = keptByData((problem) => {
  const {n, d} = problem, squares = problem.rowProfile.norms2.reduce((a, b) => a + b, 0)
  const largest = Math.min(n, d) <= EXACT_SIZE ? converged(problem) : collatzWielandt(problem)
  return Math.min(squares, largest) + (n + d + 10) * Number.EPSILON * squares
})

/** @param {Problem} problem */
function converged(problem) {
  let value = 0
  for (const matrix of lanczos(problem, true)) {
    const size = matrix.diagonal.length, isLast = size >= Math.min(problem.n, problem.d) || matrix.beside[size - 1] === 0
    if (size % CHECK_EVERY && !isLast) continue
    const top = ritzPairs(problem, matrix)[size - 1]
    value = top.value
    if (isLast || top.residual <= CONVERGED * top.value) break
  }
  return value
}

/** The smallest max_j (|X|'|X| u)_j/u_j along the power method. @param {Problem} problem */
function collatzWielandt(problem) {
  const {memory, rows} = problem, field = rows.X._ === "Sparse" ? "data" : "a"
  return memory.scratch(() => {
    const moduli = memory.copy(rows.X[field])
    for (let e = 0; e < moduli.size; e++) moduli.view[e] = Math.abs(moduli.view[e])
    const X = {...rows.X, [field]: moduli}
    let u = new Float64Array(problem.d).fill(1), best = Infinity
    for (let step = 0; step < POWER_STEPS; step++) {
      const product = gram(problem, u, X), found = product.reduce((most, x, j) => Math.max(most, x / u[j]), 0)
      if (found >= best * (1 - POWER_TOLERANCE)) return Math.min(best, found)
      best = found
      const top = product.reduce((a, b) => Math.max(a, b), 1e-300)
      u = product.map((x) => Math.max(x / top, LEAST_SHARE))
    }
    return best
  })
}
