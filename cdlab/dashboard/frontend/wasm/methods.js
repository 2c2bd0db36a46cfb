/* What Python's `Method.epoch`, `count` and `points` do around the kernels, for each method of the page. */

import {entriesOf} from "./drawing.js"
import {APPA} from "./proximal.js"
import {STARTS, spdcSteps} from "./starts.js"

/** @typedef {import("./problem.js").Problem} Problem @typedef {import("./problem.js").Points} Points @typedef {import("./kernels.js").NDArray} NDArray */
/** @typedef {import("./drawing.js").Lines} Lines @typedef {import("./drawing.js").Epoch} Epoch @typedef {import("./names").KernelName} KernelName */

/**
 * A method of the page. `epoch` updates arrays of the state in place and returns the state with its new numbers;
 * `canSplitEpoch` says that an epoch is nothing but its updates, as the class's in Python; `single`, that the first ones can
 * be made one by one. `fed` is what an order holds: lines, or what a method that
 * chooses by itself takes in their place. `coordinate` is alpha_k or w_k, where the method moves one at a time; `bounded`
 * the point that its theorems are about, where `points` shows no gap that they bound.
 * @typedef {{start: (problem: Problem, lines: Lines) => any, epoch: (problem: Problem, S: any, epoch: Epoch, lines: Lines) => any, points: (problem: Problem, S: any) => Points,
 *   visits: (problem: Problem, S: any, epoch: Epoch, lines: Lines) => number, canSplitEpoch: boolean, single: (problem: Problem) => boolean, fed: "lines" | "uniforms" | "zeros" | "nothing", coordinate?: (S: any, k: number) => number, bounded?: (problem: Problem, S: any) => Points | null, lines?: (problem: Problem, sampling: string) => Lines}} Method
 */

const ROW = 4, U = 2 // columns of rows in variance_reduced.py and spdc.py, where u_j stands in SPDC's
const RESTART = 1e100 // of agd's A
const always = () => true

/** The nonzeros of the lines of an order. @type {Method["visits"]} */
const read = (_, __, epoch, {counts}) => entriesOf(epoch, counts)

/** Half a pass to search for every update, and the nonzeros of those found. @type {Method["visits"]} */
const searched = ({nnz}, S, {order}) => (order.size * nnz) / 2 + S.visited

/** An epoch is one kernel, whose results replace these fields of the state. @param {KernelName} kernel @param {string[]} fields @returns {Method["epoch"]} */
const one = (kernel, ...fields) => ({memory}, S, {order}, lines) => {
  const found = [memory.call(kernel, lines.view, S, order)].flat()
  return Object.assign({...S}, Object.fromEntries(fields.map((field, k) => [field, found[k]])))
}

/** A kernel for one line at a time, another for blocks. @param {KernelName} single @param {KernelName} block @returns {Method["epoch"]} */
const oneOrMany = (single, block) => ({memory}, S, {order, starts}, lines) => {
  if (starts) memory.call(block, lines.view, S, {_: "Batches", indices: order, starts})
  else memory.call(single, lines.view, S, order)
  return S
}

/** The same where what is returned is a field, and a state with scratch for blocks takes nothing else. @param {KernelName} single @param {KernelName} block @param {string} field @returns {Method["epoch"]} */
const inBlocks = (single, block, field) => (problem, S, epoch, lines) => S.h.shape[0] === 0 ? one(single, field)(problem, S, epoch, lines) : problem.memory.scratch(() => ({
  ...S, [field]: problem.memory.call(block, lines.view, S, {_: "Batches", indices: epoch.order, starts: epoch.starts ?? blocksOfOne(problem, epoch.order.size)}),
}))

/** Where so many blocks of one line start. @param {Problem} problem @param {number} count */
const blocksOfOne = ({memory}, count) => memory.array("uint64", [count + 1], BigUint64Array.from({length: count + 1}, (_, k) => BigInt(k)))

/** @type {Method["points"]} */
const dual = (problem, S) => ({alpha: S.alpha, v: S.v, w: problem.dualPoint(S.v)})
/** @type {Method["points"]} */
const primal = (_, S) => ({w: S.w, z: S.z})

/** First + factor times second of each pair. @param {Problem} problem @param {NDArray} pairs @param {number} factor */
const mixed = ({memory}, pairs, factor) => memory.filled(pairs.shape[0], (j) => pairs.view[2 * j] + factor * pairs.view[2 * j + 1])
/** w of a state whose coordinates rest. @param {Problem} problem @param {any} S */
function current(problem, S) {
  const w = problem.memory.array("float64", [problem.d])
  problem.memory.call("_all_up_to_date", problem.reg, S.table, S.rows, S.t, w)
  return w
}

/** @type {NonNullable<Method["coordinate"]>} */
const alphaAt = (S, k) => S.alpha.view[k]
/** @type {NonNullable<Method["coordinate"]>} */
const wAt = (S, k) => S.w.view[k]

/** Where l1 > 0 a theorem on a distance bounds the gap one step further on. @type {NonNullable<Method["bounded"]>} */
const stepOn = (problem, S) => (problem.l1 > 0 ? {w: current(problem, S)} : null)

const SERIAL = {visits: read, canSplitEpoch: true, single: always, fed: /** @type {const} */ ("lines")}
const SEARCHING = {visits: searched, canSplitEpoch: false, single: always}
const FULL = {visits: (/** @type {Problem} */ {nnz}, /** @type {any} */ S) => S.passes * nnz, canSplitEpoch: false, single: always, fed: /** @type {const} */ ("nothing")}

/** @type {Record<string, Method>} */
export const METHODS = {
  sdca: {...SERIAL, coordinate: alphaAt, start: STARTS.sdca, epoch: oneOrMany("sdca_epoch", "sdca_block_epoch"), points: dual},
  quartz: {...SERIAL, coordinate: alphaAt, start: STARTS.quartz, epoch: oneOrMany("quartz_epoch", "quartz_block_epoch"), points: dual},
  rcd: {...SERIAL, coordinate: wAt, start: STARTS.rcd, epoch: oneOrMany("rcd_epoch", "rcd_block_epoch"), points: primal},
  adasdca: {...SEARCHING, coordinate: alphaAt, fed: "uniforms", start: STARTS.adasdca, epoch: one("adasdca_epoch", "visited"), points: dual},
  greedy: {
    ...SEARCHING, coordinate: wAt, fed: "zeros", start: STARTS.greedy, epoch: one("greedy_epoch", "visited"),
    points: ({memory, n}, S) => ({w: S.w, z: S.z, alpha: memory.filled(n, (i) => -S.derivative.view[i])}),
  },
  apcg: {
    ...SERIAL, coordinate: (S, k) => S.v.view[k] + S.r * S.u.view[k], start: STARTS.apcg, epoch: inBlocks("apcg_epoch", "apcg_block_epoch", "r"),
    points(problem, S) {
      const v = mixed(problem, S.qp, S.r)
      return {alpha: problem.memory.filled(problem.n, (i) => S.v.view[i] + S.r * S.u.view[i]), v, w: problem.dualPoint(v)}
    },
  },
  acc_rcd: {
    ...SERIAL, start: STARTS.acc_rcd,
    coordinate: (S, k) => S.vu ? S.vu.view[2 * k] + S.r * S.vu.view[2 * k + 1] : S.mq.view[2 * k] + (1 - S.a) * S.r * S.mq.view[2 * k + 1],
    epoch: (problem, S, epoch, lines) => (S.vu ? inBlocks("apcg_step_epoch", "apcg_step_block_epoch", "r") : inBlocks("acc_rcd_epoch", "acc_rcd_block_epoch", "r"))(problem, S, epoch, lines),
    points: (problem, S) => S.vu
      ? {w: mixed(problem, S.vu, S.r), z: mixed(problem, S.Xvu, S.r)}
      : {w: mixed(problem, S.mq, (1 - S.a) * S.r), z: mixed(problem, S.Xmq, (1 - S.a) * S.r)},
  },
  spdc: {
    ...SERIAL, coordinate: (S, k) => -S.y.view[k], start: STARTS.spdc,
    single: ({gamma}) => gamma > 0, // else delta falls when an epoch ends, and would fall earlier
    epoch(problem, S, {order}, lines) {
      const t = problem.memory.call("spdc_epoch", lines.view, S, order), next = {...S, t, fall: S.fall * S.rate ** ((t - S.t) / 2)}
      if (problem.gamma > 0 || next.fall > 0.5) return next
      problem.memory.call("arrive_all", next, next.rows)
      return spdcSteps(problem, next, next.fall * next.delta)
    },
    points(problem, S) {
      const {memory, n, d} = problem, rows = memory.copy(S.rows)
      memory.call("arrive_all", S, rows)
      const v = memory.filled(d, (j) => -rows.view[ROW * j + U]), alpha = memory.filled(n, (i) => -S.y.view[i])
      const both = [memory.filled(d, (j) => rows.view[ROW * j]), problem.dualPoint(v, S.reg)].map((w) => ({w, alpha, v, z: problem.predict(w)}))
      const [x, other] = both.map((at) => problem.primal(at))
      return both[other < x ? 1 : 0]
    },
    bounded({memory, d}, S) {
      const rows = memory.copy(S.rows)
      memory.call("arrive_all", S, rows)
      return {w: memory.filled(d, (j) => rows.view[ROW * j])}
    },
  },
  asdca: {
    ...SERIAL, coordinate: alphaAt, start: STARTS.asdca,
    epoch: (problem, S, {order, starts}, {view}) => problem.memory.scratch(() => ({
      ...S, t: problem.memory.call("asdca_epoch", view, S, {_: "Batches", indices: order, starts: starts ?? blocksOfOne(problem, order.size)}),
    })),
    points(problem, S) {
      const c = problem.dualPoint(S.v), x = S.x.view, still = Math.log1p(-S.theta) // of each iteration since x_j was read
      const w = problem.memory.filled(problem.d, (j) => c.view[j] + Math.exp((S.t - x[2 * j + 1]) * still) * (x[2 * j] / problem.l2 - c.view[j]))
      return {alpha: S.alpha, v: S.v, w}
    },
  },
  saga: {
    ...SERIAL, bounded: stepOn, start: STARTS.saga,
    epoch: ({memory}, S, {order, starts}, {view}) => ({
      ...S, t: starts ? memory.call("saga_block_epoch", view, S, {_: "Batches", indices: order, starts}) : memory.call("saga_epoch", view, S, order),
    }),
    visits: (problem, S, epoch, lines) => read(problem, S, epoch, lines) + (S.t === (epoch.starts ? epoch.starts.size - 1 : epoch.order.size) ? S.table_visits : 0),
    points(problem, S) {
      const {memory, n, d} = problem, w = current(problem, S), z = problem.predict(w), now = {w, z, alpha: problem.alpha(z)}
      const before = {w, z, alpha: memory.filled(n, (i) => -S.tab.view[i]), v: memory.filled(d, (j) => -S.rows.view[ROW * j + 1])}
      return problem.dual(before) > problem.dual(now) ? before : now
    },
  },
  svrg: {
    ...SERIAL, bounded: stepOn, canSplitEpoch: false, start: STARTS.svrg,
    visits: (problem, S, epoch, lines) => read(problem, S, epoch, lines) + S.gradients * problem.nnz,
    epoch: (problem, S, epoch, lines) => ({...one("svrg_epoch", "left", "gradients")(problem, S, epoch, lines), t: S.t + epoch.order.size}),
    points: (problem, S) => ({w: current(problem, S)}),
  },
  sgd: {
    ...SERIAL, start: STARTS.sgd, epoch: one("sgd_epoch", "t", "a", "A"),
    points: ({memory, d}, S) => ({w: memory.filled(d, (j) => S.t === 0 ? S.a * S.x.view[j] : (S.A * S.x.view[j] - S.b.view[j]) / S.t)}),
  },
  gd: {
    ...FULL, start: STARTS.gd,
    epoch(problem, S) {
      const {memory, d} = problem, first = S.passes
      memory.scratch(() => {
        const v = problem.v(problem.alpha(S.z)), w = problem.prox(memory.filled(d, (j) => S.w.view[j] + S.step * v.view[j]), S.step)
        S.z.view.set(problem.predict(w).view)
        S.w.view.set(w.view)
      })
      return {...S, passes: S.begun ? 1 : 1 + first, begun: true}
    },
    points: primal,
  },
  agd: {
    ...FULL, start: STARTS.agd,
    epoch: (problem, S) => problem.memory.scratch(() => searchedStep(problem, S)),
    points: primal,
  },
  appa: APPA,
}

/** One step of agd, with the search for its L. @param {Problem} problem @param {any} S */
function searchedStep(problem, S) {
  const {memory, d, l2} = problem, {A} = S, slope = (/** @type {NDArray} */ z) => problem.v(problem.alpha(z)) // minus the gradient of the mean loss
  const v = problem.prox(memory.filled(d, (j) => S.w0.view[j] - S.s.view[j]), A)
  for (let L = S.L, trials = 1; ; L *= 2, trials++) {
    const c = (2 * (1 + l2 * A)) / L, a = (c + Math.sqrt(c * c + 4 * c * A)) / 2
    const y = memory.filled(d, (j) => (A * S.w.view[j] + a * v.view[j]) / (A + a)), down = slope(problem.predict(y))
    const w = problem.prox(memory.filled(d, (j) => y.view[j] + down.view[j] / L), 1 / L), z = problem.predict(w), downT = slope(z)
    let inner = 0, norm2 = 0
    for (let j = 0; j < d; j++) {
      const moved = y.view[j] - w.view[j], subgradient = L * moved - downT.view[j] + down.view[j]
      inner += subgradient * moved
      norm2 += subgradient * subgradient
    }
    if (inner >= norm2 / L || L >= S.enough) {
      S.w.view.set(w.view)
      S.z.view.set(z.view)
      if (A + a > RESTART) { // a bound of ||w_0 - w*||^2/(2 A) is below all rounding
        S.w0.view.set(w.view)
        S.s.view.fill(0)
        return {...S, A: 0, L: L / 2, passes: 2 * trials}
      }
      for (let j = 0; j < d; j++) S.s.view[j] -= a * downT.view[j]
      return {...S, A: A + a, L: L / 2, passes: 2 * trials}
    }
  }
}
