/* Samplings: the probabilities of the lines of a method's side, and endless orders of them; every draw is a kernel. */

import {sum} from "./sums.js"

/** @typedef {import("./problem.js").Problem} Problem @typedef {import("./kernels.js").NDArray} NDArray */

/** What a method knows of its side; `norms2` are ESO parameters where blocks are drawn. @typedef {{view: any, m: number, counts: Float64Array, norms2: Float64Array, s: Float64Array, p: Float64Array, drawable: boolean[] | null, batch: number | null}} Lines */
/** One epoch: lines one after another, with the starts of blocks where there are any. @typedef {{order: NDArray, starts: NDArray | null}} Epoch */

const MOST_FOR_TAIL = 10000 // lines above which numpy draws large blocks in another way
const TAIL_SHARE = 20

/** @param {Float64Array} weights */
function normalised(weights) {
  const total = sum(weights)
  return weights.map((each) => (total === 0 ? 1 / weights.length : each / total))
}

/** p of a serial sampling; s is n times the smoothness along each line. @param {string} sampling @param {Float64Array} s @param {Float64Array} norms2 */
function serialProbabilities(sampling, s, norms2) {
  if (sampling === "importance") return normalised(s)
  if (sampling === "norms") return normalised(norms2.map(Math.sqrt)).map((p) => 0.5 / s.length + 0.5 * p)
  return s.map(() => 1 / s.length)
}

/** @param {Problem} problem @param {string} method @param {string} sampling @param {number | null} batch @param {number} l2 @param {boolean} all also empty lines, as theorems speak of them @returns {Lines} */
export function linesOf(problem, method, sampling, batch = null, l2 = problem.l2, all = false) {
  const {side, empty} = problem.memory.file.methods[method], dual = side === "dual", {memory, n, gamma} = problem
  const own = dual ? problem.rowProfile : problem.columnProfile, across = dual ? problem.columnProfile : problem.rowProfile
  const {counts} = own, m = counts.length, view = dual ? problem.rows : problem.columns
  const smoothness = (/** @type {Float64Array} */ norms2) => norms2.map((v) => (1 / gamma) * v + l2 * n)
  if (batch !== null) {
    const most = m > MOST_FOR_TAIL ? Math.floor(m / TAIL_SHARE) : m
    if (!(Number.isInteger(batch) && batch >= 1 && batch <= most)) throw new Error(`${method} has batch_size=${batch} for ${m} ${dual ? "examples" : "features"}: take batch_size <= ${most}`)
    const norms2 = memory.scratch(() => {
      const out = memory.array("float64", [m])
      memory.call("eso_of_blocks", view.X, memory.array("int64", [across.counts.length], BigInt64Array.from(across.counts, BigInt)), batch, out)
      return Float64Array.from(out.view)
    })
    return {view, m, counts, norms2, s: smoothness(norms2), p: counts.map(() => batch / m), drawable: null, batch}
  }
  const s = smoothness(own.norms2), filled = counts.some((c) => c > 0) && counts.some((c) => c === 0)
  const drawable = all || empty === "drawn" || !filled ? null : Array.from(counts, (c) => c > 0), p = serialProbabilities(sampling, s, own.norms2)
  return {view, m, counts, norms2: own.norms2, s, p: drawable ? normalised(p.map((each, k) => (drawable[k] ? each : 0))) : p, drawable, batch}
}

/** The probabilities that an update takes each line; none where nothing is drawn. @param {Problem} problem @param {string} method @param {string} sampling @param {number | null} [batch] */
export function probabilities(problem, method, sampling, batch = null) {
  return problem.memory.file.methods[method].draws ? linesOf(problem, method, sampling, batch).p : new Float64Array(0)
}

/** Where an epoch's lines stand in its order. @param {Epoch} epoch */
function extent({order, starts}) {
  return starts ? [Number(starts.view[0]), Number(starts.view[starts.size - 1])] : [0, order.size]
}

/** The lines of an epoch, one after another. @param {Epoch} epoch @returns {number[]} */
export function linesIn(epoch) {
  const {words} = epoch.order, [from, to] = extent(epoch)
  return Array.from({length: to - from}, (_, k) => words[2 * (from + k)])
}

/** The nonzeros that an epoch reads. @param {Epoch} epoch @param {Float64Array} counts */
export function entriesOf(epoch, counts) {
  const {words} = epoch.order, [from, to] = extent(epoch)
  let total = 0
  for (let k = from; k < to; k++) total += counts[words[2 * k]]
  return total
}

/** The updates that are as few as read so many nonzeros: at least one, at most all that are left. @param {Epoch} epoch @param {number} done @param {Float64Array} counts @param {number} entries */
export function updatesReading({order, starts}, done, counts, entries) {
  const {words} = order, size = starts ? starts.size - 1 : order.size
  let left = entries, end = done
  do {
    const to = starts ? Number(starts.view[end + 1]) : end + 1
    for (let k = starts ? Number(starts.view[end]) : end; k < to; k++) left -= counts[words[2 * k]]
    end += 1
  } while (left > 0 && end < size)
  return end - done
}

/** Endless epochs, all in the same arrays: the next one replaces the last. @param {Problem} problem @param {string} sampling @param {Lines} lines @param {import("./random.js").Generator} random @returns {Generator<Epoch, never>} */
export function orders(problem, sampling, lines, random) {
  if (lines.batch !== null) return blocks(problem, lines.m, lines.batch, random)
  return withoutEmpty(problem, serialOrders(problem, sampling, lines, random), lines)
}

/** @param {Problem} problem @param {Generator<NDArray, never>} serial @param {Lines} lines @returns {Generator<Epoch, never>} */
function* withoutEmpty({memory}, serial, {m, drawable}) {
  const kept = memory.array("uint64", [m])
  for (;;) {
    const order = serial.next().value, from = order.words, to = kept.words
    let count = 0
    for (let k = 0; drawable && k < m; k++) if (drawable[from[2 * k]]) to[2 * count++] = from[2 * k] // the upper halves are 0
    yield {order: drawable ? kept.slice(0, count) : order, starts: null}
  }
}

/** @param {Problem} problem @param {string} sampling @param {Lines} lines @param {import("./random.js").Generator} random @returns {Generator<NDArray, never>} */
function* serialOrders({memory}, sampling, {m, s, view}, random) {
  const order = memory.array("uint64", [m]), doubles = memory.array("float64", [m])
  const counted = (/** @type {(k: number) => number} */ place) => {
    const {words} = order
    for (let k = 0; k < m; k++) words[2 * k] = place(k)
    return order
  }
  const permuted = () => {
    random.doubles(doubles)
    memory.call("_fill_permutations", order, doubles, m)
    return order
  }
  if (sampling === "uniform") for (;;) yield random.integers(m, order)
  if (sampling === "permutation") for (;;) yield permuted()
  if (sampling === "paired_permutation") {
    for (;;) {
      yield permuted()
      order.view.reverse()
      yield order
    }
  }
  if (sampling === "fixed_permutation") for (permuted(); ; ) yield order
  if (sampling === "cyclic") for (counted((k) => k); ; ) yield order
  if (sampling === "symmetric") {
    for (;;) {
      yield counted((k) => k)
      yield counted((k) => m - 1 - k)
    }
  }
  const norms2 = memory.array("float64", [m]), counts = memory.array("int64", [m])
  memory.call("_measure_lines", view.X, norms2, counts)
  const p = serialProbabilities(sampling, s, Float64Array.from(norms2.view)), total = sum(p)
  const keep = memory.filled(m, () => 1), alias = memory.array("uint64", [m], BigUint64Array.from({length: m}, (_, k) => BigInt(k)))
  memory.call("_fill_alias_table", memory.floats(p.map((each) => (each / total) * m)), keep, alias)
  for (;;) {
    random.integers(m, order)
    memory.call("_draw_from_slots", order, random.doubles(doubles), keep, alias)
    yield order
  }
}

/** Every block of so many lines with the same probability: `TauNice`. @param {Problem} problem @param {number} m @param {number} tau @param {import("./random.js").Generator} random @returns {Generator<Epoch, never>} */
function* blocks({memory}, m, tau, random) {
  const count = Math.ceil(m / tau), order = memory.array("uint64", [count * tau]), drawn = memory.array("uint64", [count * tau])
  const starts = memory.array("uint64", [count + 1], BigUint64Array.from({length: count + 1}, (_, k) => BigInt(k * tau)))
  for (;;) {
    for (let full = 0; full < count; ) {
      if (tau * tau < m) { // with replacement, and blocks with duplicates dropped
        random.integers(m, drawn)
        const from = drawn.words, to = order.words
        for (let b = 0; b < count && full < count; b++) {
          const block = Array.from({length: tau}, (_, k) => from[2 * (b * tau + k)])
          if (new Set(block).size === tau) block.forEach((i, k) => { to[2 * (full * tau + k)] = i })
          if (new Set(block).size === tau) full += 1
        }
      } else random.choose(m, order.slice(full * tau, ++full * tau))
    }
    yield {order, starts}
  }
}
