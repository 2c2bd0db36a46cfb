/* The slowest direction of random steps along coordinates, by an eigenvalue; `explanations/slowest_direction.py`. */

import {probabilities} from "../wasm/index.js"
import {isIndependent} from "./choices.js"
import {figure} from "./figures.js"
import {site} from "./site.js"
import {sum} from "./numbers.js"

/** @typedef {import("../wasm/problem.js").Problem} Problem @typedef {import("./choices").Contestant} Contestant @typedef {import("./figures").Figure} Figure */

/** Passes per factor e by an eigenvalue, and by the bound of these draws; null where there is no such rate. @param {Problem} problem @param {Contestant} entry @param {Float64Array} w @returns {{exact: Figure, bound: Figure} | null} */
export function slowestDirection(problem, entry, w) {
  const {method, side} = entry, {memory, n, d, l2, gamma, nnz} = problem
  if (!["sdca", "quartz", "rcd"].includes(method) || !isIndependent(entry) || entry.batch !== null || !(gamma > 0 && l2 > 0) || problem.l1 > 0) return null
  const isDual = side === "dual", {norms2, counts} = isDual ? problem.rowProfile : problem.columnProfile, smoothness = norms2.map((x) => x / gamma + l2 * n)
  const p = probabilities(problem, method, entry.sampling, null), cost = sum(p.map((x, k) => x * counts[k])) / nnz, drawn = [...p.keys()].filter((k) => p[k] > 0 && counts[k] > 0)
  return memory.scratch(() => {
    const h = memory.array("float64", [n])
    memory.call("_curvatures", problem.struct, problem.predict(memory.floats(w)), problem.y, h)
    const curved = Float64Array.from(h.view), lines = [...p.keys()].filter((k) => counts[k] > 0 && (!isDual || curved[k] > 0)), m = lines.length
    if (!m || m > site.explanations.thresholds.MOST_COORDINATES) return null
    const place = new BigInt64Array(p.length).fill(-1n), A = memory.array("float64", [m, m])
    lines.forEach((line, k) => { place[line] = BigInt(k) })
    const weight = isDual ? new Float64Array(d).fill(1 / (l2 * n)) : curved.map((x) => x / n), base = isDual ? curved.map((x) => (x > 0 ? 1 / x : 0)) : new Float64Array(d).fill(l2)
    memory.call("curvature_matrix", (isDual ? problem.columns : problem.rows).X, memory.floats(weight), memory.floats(base), memory.array("int64", [p.length], place), A)
    const kept = Float64Array.from(A.view), diagonal = lines.map((_, k) => kept[k * m + k]), of = lines.map((line) => p[line]), rarest = Math.min(...of)
    const {omega, left} = stepsOf(problem, entry, curved, lines, diagonal, drawn, p, smoothness)
    /** lambda_min(Q^1/2 G Q^1/2). @param {number[]} q */
    const smallest = (q) => {
      const scale = q.map((x, k) => Math.sqrt(x / diagonal[k]))
      kept.forEach((x, at) => { A.view[at] = x * scale[Math.floor(at / m)] * scale[at % m] })
      const [middle, beside, v, room] = [0, 0, 0, 0].map(() => memory.array("float64", [m]))
      memory.call("tridiagonal_columns", A, 0, m, middle, beside, v, room)
      memory.call("tridiagonal_eigenvalues", middle, beside, v)
      return Math.max(0, middle.view.reduce((/** @type {number} */ a, /** @type {number} */ b) => Math.min(a, b), Infinity))
    }
    const faster = smallest(of.map((x, k) => x * omega[k])), least = Math.min(faster, rarest), isExact = omega.every((x) => Math.abs(x - 1) <= 1e-9)
    const slower = isExact ? (2 * least) / (1 + least / rarest) : smallest(of.map((x, k) => x * omega[k] * (2 - omega[k])))
    const low = Math.max((1 - faster) ** 2, 1 - rarest, left), ends = [low, Math.max(low, 1 - slower, left)].map((rho) => cost * drawsPerE(rho))
    const bound = (cost * drawn.reduce((most, k) => Math.max(most, smoothness[k] / p[k]), 0)) / (l2 * n)
    return {exact: figure("passes per e", "exact", entry, Math.sqrt(ends[0] * ends[1]), ends[0], ends[1]), bound: figure("passes per e", "bound", entry, bound, bound, bound)}
  })
}

/** The lengths of steps on coordinates that curve, 1: exact; and the factor that a draw leaves on the others. @param {Problem} problem @param {Contestant} entry @param {Float64Array} curved @param {number[]} lines @param {number[]} diagonal @param {number[]} drawn @param {Float64Array} p @param {Float64Array} smoothness */
function stepsOf({l2, n}, {method}, curved, lines, diagonal, drawn, p, smoothness) {
  if (method === "rcd") return {omega: lines.map((line, k) => (diagonal[k] * n) / smoothness[line]), left: 0}
  if (method === "sdca") return {omega: lines.map(() => 1), left: 0}
  const theta = drawn.reduce((least, k) => Math.min(least, (p[k] * l2 * n) / smoothness[k]), Infinity), s = p.map((x) => (x > 0 ? theta / x : 0)), among = new Set(lines)
  const left = drawn.reduce((most, k) => (among.has(k) ? most : Math.max(most, 1 - p[k] * s[k] * (2 - s[k]))), 0)
  return {omega: lines.map((line, k) => s[line] * curved[line] * diagonal[k]), left}
}

/** @param {number} rho */
const drawsPerE = (rho) => (rho > 0 && rho < 1 ? -1 / Math.log(rho) : rho <= 0 ? 0 : Infinity)
