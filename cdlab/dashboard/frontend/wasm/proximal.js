/* APPA with sdca inside: problems P(w) + (weight/2)||w - center||^2, one after another, each from alpha(center) to a gap; appa.py. */

import {entriesOf, linesOf} from "./drawing.js"
import {STARTS} from "./starts.js"

/** @typedef {import("./problem.js").Problem} Problem @typedef {import("./kernels.js").NDArray} NDArray */

const DIGITS = 4 * Number.EPSILON // of the objective: what is left of a gap that is 0
const DRIFT = 1e-11 // of the objective: so much a maintained v can be off in D
const FIRST_TEST_SHARE = 0.75 // of the epochs that the last stage took

/** R^2/(gamma n). @param {Problem} problem */
function weightOf({rowProfile, gamma, n}) {
  return rowProfile.norms2.reduce((a, b) => Math.max(a, b), 0) / (gamma * n) || 1
}

/** @param {NDArray} a @param {NDArray} b */
function dot(a, b) {
  return a.view.reduce((/** @type {number} */ total, /** @type {number} */ x, /** @type {number} */ k) => total + x * b.view[k], 0)
}

/** The regulariser with the proximal term's square. @param {Problem} problem @param {number} weight */
const heldBy = ({reg}, weight) => ({...reg, l2: reg.l2 + weight})

/** The gap of the inner problem, at its w = grad g*(v). @param {Problem} problem @param {any} S @param {any} reg */
function tested(problem, S, reg) {
  const {memory, d} = problem, {state, center, weight} = S, square = dot(center, center)
  return memory.scratch(() => {
    const w = problem.dualPoint(state.v, reg), z = problem.predict(w)
    const primal = memory.call("mean_loss_of", problem.struct, z, problem.y) + memory.call("regularizer_of", w, reg.l2, problem.l1) + weight * (0.5 * square - dot(w, center))
    const dual = (/** @type {NDArray} */ v) => -memory.call("mean_conjugate_of", problem.struct, state.alpha, problem.y) - memory.call("conjugate_of_regularizer", reg, v) + 0.5 * weight * square
    const size = (/** @type {number} */ D) => Math.abs(primal) + Math.abs(D) + weight * square
    let v = state.v, D = dual(v), sweeps = 1
    if (primal - D <= DRIFT * size(D)) {
      v = problem.v(state.alpha)
      for (let j = 0; j < d; j++) v.view[j] += weight * center.view[j]
      D = dual(v)
      sweeps = 2
    }
    let moved = 0
    for (let j = 0; j < d; j++) moved += (w.view[j] - center.view[j]) ** 2
    S.end.w.view.set(w.view)
    S.end.z.view.set(z.view)
    return {solved: primal - D <= Math.max((weight / 2) * moved, DIGITS * size(D)), visits: (sweeps * problem.nnz) / 2}
  })
}

/** A stage around the point where the last one ended, from its alpha, which is half a pass. @param {Problem} problem @param {any} S */
function begun(problem, S) {
  const {state, center, weight, end} = S
  center.view.set(end.w.view)
  problem.memory.scratch(() => {
    state.alpha.view.set(problem.alpha(end.z).view)
    const v = problem.v(state.alpha)
    for (let j = 0; j < problem.d; j++) state.v.view[j] = v.view[j] + weight * center.view[j]
  })
  return {...S, epochs: 0, due: Math.max(1, Math.floor(FIRST_TEST_SHARE * S.epochs)), solved: false, visited: 0, opened: problem.nnz / 2}
}

/** @type {import("./methods.js").Method & {lines: (problem: Problem, sampling: string) => import("./drawing.js").Lines}} */
export const APPA = {
  fed: "lines",
  canSplitEpoch: false,
  single: () => false,
  lines(problem, sampling) {
    const weight = weightOf(problem), found = linesOf(problem, "appa", sampling, null, problem.l2 + weight)
    return {...found, view: {...found.view, reg: heldBy(problem, weight)}}
  },
  start(problem, lines) {
    const {memory, n, d} = problem, weight = weightOf(problem), state = STARTS.sdca(problem, lines), center = memory.array("float64", [d])
    for (let i = 0; i < n; i++) state.q.view[i] = problem.rowProfile.norms2[i] / ((problem.l2 + weight) * n)
    return begun(problem, {state, center, weight, epochs: 0, end: {w: memory.copy(center), z: memory.array("float64", [n])}})
  },
  epoch(problem, S, epoch, lines) {
    if (S.solved) S = begun(problem, S)
    problem.memory.call("sdca_epoch", lines.view, S.state, epoch.order)
    const visited = S.opened + entriesOf(epoch, lines.counts), next = {...S, epochs: S.epochs + 1, visited, opened: 0}
    if (next.epochs < S.due) return next
    const {solved, visits} = tested(problem, next, lines.view.reg)
    return {...next, solved, due: next.epochs + 1 + Math.floor(next.epochs / 4), visited: visited + visits}
  },
  visits: (_, S) => S.visited,
  bounded: (_, {solved, end, center}) => (solved ? {w: end.w, z: end.z} : {w: center}),
  points(problem, {state, center, weight, epochs}) {
    const w = epochs ? problem.dualPoint(state.v, heldBy(problem, weight)) : problem.memory.copy(center)
    return {w, alpha: state.alpha, v: problem.memory.filled(problem.d, (j) => state.v.view[j] - weight * center.view[j])}
  },
}
