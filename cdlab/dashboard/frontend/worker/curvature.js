/* How fast random steps along coordinates are near a point, by the curvature there: all by kernels. */

/** @typedef {import("../wasm/problem.js").Problem} Problem */

/**
 * Passes in which the error falls by a factor e near w, by the smallest eigenvalue of Lambda^-1/2 H Lambda^-1/2, and
 * those of the bound, for columns that are drawn with probabilities p.
 * @param {Problem} problem @param {Float64Array} w @param {Float64Array} p
 */
export function slowestRate(problem, w, p) {
  const {memory, n, d, l2, gamma, columnProfile: {norms2, counts}, nnz} = problem
  const drawn = [...p.keys()].filter((j) => p[j] > 0), cost = p.reduce((total, x, j) => total + x * counts[j], 0) / nnz // passes a step
  const scaled = drawn.map((j) => (norms2[j] / (gamma * n) + l2) / p[j]), m = drawn.length // a coordinate that is drawn seldom counts as a steeper one
  const lowest = memory.scratch(() => {
    const h = memory.array("float64", [n]), place = new BigInt64Array(d).fill(-1n), A = memory.array("float64", [m, m])
    drawn.forEach((j, k) => { place[j] = BigInt(k) })
    memory.call("_curvatures", problem.struct, problem.predict(memory.floats(w)), problem.y, h)
    memory.call("scaled_curvature", problem.rows.X, h, l2, memory.array("int64", [d], place), memory.floats(scaled), A)
    const [diagonal, beside, v, q] = [0, 0, 0, 0].map(() => memory.array("float64", [m]))
    memory.call("tridiagonal_columns", A, 0, m, diagonal, beside, v, q)
    memory.call("tridiagonal_eigenvalues", diagonal, beside, v)
    return diagonal.view.reduce((/** @type {number} */ a, /** @type {number} */ b) => Math.min(a, b), Infinity)
  })
  return {rate: cost / lowest, bound: (Math.max(...scaled) / l2) * cost}
}
