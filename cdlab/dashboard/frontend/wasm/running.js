/* One run: records of P, D and the best gap at moments evenly spread over the decades of passes, as they come. */

import {linesIn, linesOf, orders, updatesReading} from "./drawing.js"
import {METHODS} from "./methods.js"
import {Generator} from "./random.js"
import {LogMoments} from "./moments.js"

/** @typedef {import("./problem.js").Problem} Problem @typedef {import("./types").RunOptions} RunOptions @typedef {import("./types").RunRecord} RunRecord */
/** @typedef {import("./types").RunEnd} RunEnd @typedef {import("./types").RunUpdate} RunUpdate @typedef {import("./drawing.js").Epoch} Epoch */

const BREATH_MS = 12 // of work between two waits, in which messages are heard
const SMALLEST_SHARE = 1e-6 // of P(0), that a gap is measured by where there is less to gain
const STEPS = 2 // of an epoch of a method that chooses by itself

/** Run a method: yields records, returns how it ended. @param {string} name @param {Problem} problem @param {RunOptions} [options] @returns {AsyncGenerator<RunRecord, RunEnd>} */
export async function* run(name, problem, options = {}) {
  if (problem.running++ === 0) problem.memory.top = problem.start
  try {
    return yield* new Run(name, problem, options).records()
  } finally {
    problem.running -= 1
  }
}

/** The epochs that a method is fed with. @param {Problem} problem @param {import("./methods.js").Method} method @param {string} sampling @param {import("./drawing.js").Lines} lines @param {number} seed @returns {Iterator<Epoch>} */
export function epochs(problem, method, sampling, lines, seed) {
  const {memory} = problem, random = new Generator(memory, seed)
  if (method.fed === "lines") return orders(problem, sampling, lines, random)
  const order = memory.array(method.fed === "zeros" ? "uint64" : "float64", [method.fed === "nothing" ? 1 : STEPS])
  return {next: () => ({done: false, value: {order: method.fed === "uniforms" ? random.doubles(order) : order, starts: null}})}
}

/** A run that is under way. */
class Run {
  /** @param {string} name @param {Problem} problem @param {RunOptions} options */
  constructor(name, problem, {sampling = "uniform", seed = 0, batch, target = 0, maxPasses = 1000, updates = 60, records = "log", signal}) {
    const method = METHODS[name], facts = problem.memory.file.methods[name]
    if (!method || !facts) throw new Error(`there is no method ${JSON.stringify(name)} here: take ${Object.keys(problem.memory.file.methods).join(", ")}`)
    if (!problem.memory.file.samplings.includes(sampling)) throw new Error(`there is no sampling ${JSON.stringify(sampling)} here: take ${problem.memory.file.samplings.join(", ")}`)
    if (batch !== undefined && !facts.batches) throw new Error(`${name} takes one line at a time here: leave batch out`)
    this.name = name
    this.problem = problem
    this.method = method
    this.lines = method.lines ? method.lines(problem, sampling) : linesOf(problem, name, sampling, batch ?? null)
    this.S = method.start(problem, this.lines)
    this.made = epochs(problem, method, sampling, this.lines, seed)
    this.options = {target, maxPasses, updates, records, signal}
    this.best = {P: Infinity, D: problem.atZero.D}
    this.iterations = 0
    this.visited = 0
    this.moments = new LogMoments(problem.nnz)
    this.last = /** @type {Epoch | null} */ (null)
    this.breath = performance.now()
    this.updates = /** @type {RunUpdate[]} */ ([]) // since the last record, of the first ones
  }

  get passes() {
    return this.visited / Math.max(1, this.problem.nnz)
  }

  /** @returns {AsyncGenerator<RunRecord, RunEnd>} */
  async *records() {
    const {target, maxPasses, records, signal} = this.options
    let last = this.measured()
    yield last
    if (last.bestGap <= target) return {status: "target", reached: 0, passes: 0}
    for (;;) {
      for (const part of this.parts(this.made.next().value)) {
        this.step(part)
        if (!(part.mayStop && (records === "epochs" || this.passes >= Math.min(this.moments.next, maxPasses)))) continue
        const record = this.measured()
        yield record
        if (record.bestGap <= target) return {status: "target", reached: interpolated(last, record, target), passes: this.passes}
        if (!Number.isFinite(record.P)) return {status: "diverged", reached: null, passes: this.passes}
        if (signal?.aborted) return {status: "stopped", reached: null, passes: this.passes}
        if (this.passes >= maxPasses) return {status: "passes", reached: null, passes: this.passes}
        last = record
        await this.breathe()
      }
    }
  }

  /** An epoch in parts up to the next moment, where the method can be divided; of these the first updates one by one. @param {Epoch} epoch */
  *parts(epoch) {
    const {method, problem, options} = this, size = method.fed === "nothing" ? 1 : epoch.starts ? epoch.starts.size - 1 : epoch.order.size
    const divided = method.canSplitEpoch && options.records === "log", single = method.single(problem)
    for (let done = 0; done < size; ) {
      const end = divided ? done + this.updatesToMoment(epoch, done) : size
      while (done < end) {
        const next = single && this.iterations < options.updates ? done + 1 : end
        yield {epoch: method.fed === "nothing" ? epoch : piece(epoch, done, next), size: next - done, mayStop: next === end}
        done = next
      }
    }
  }

  /** The updates to the next moment, or to the last pass. @param {Epoch} epoch @param {number} done */
  updatesToMoment(epoch, done) {
    const {problem, lines, moments, options} = this
    return updatesReading(epoch, done, lines.counts, Math.min(moments.next, options.maxPasses) * problem.nnz - this.visited)
  }

  /** Make updates, and note what one of the first did. @param {{epoch: Epoch, size: number}} part */
  step({epoch, size}) {
    const {problem, method, lines} = this, isNoted = size === 1 && method.single(problem) && this.iterations < this.options.updates
    const before = isNoted ? this.look(epoch) : null
    this.S = method.epoch(problem, this.S, epoch, lines)
    const entries = method.visits(problem, this.S, epoch, lines)
    this.last = epoch
    this.iterations += size
    this.visited += entries
    if (before) this.updates.push({...moved(before, this.look(epoch)), entries, passes: this.passes})
  }

  /** The lines that an update is about, with the values of their coordinates: all, where the method chooses. @param {Epoch} epoch */
  look(epoch) {
    const {method, S, lines} = this, {fed, coordinate} = method, among = fed === "lines" ? linesIn(epoch) : fed === "nothing" ? [] : Array.from(lines.counts.keys())
    return {among, isChosen: fed !== "lines" && fed !== "nothing", values: coordinate ? among.map((k) => coordinate(S, k)) : null}
  }

  /** @returns {RunRecord} */
  measured() {
    const {problem, best} = this, {P: P0} = problem.atZero
    return problem.memory.scratch(() => {
      const at = this.method.points(problem, this.S), P = problem.primal(at), {D} = problem.certified(at), pairs = this.pairs()
      best.P = Math.min(best.P, P, ...pairs.map((pair) => problem.primal(pair)))
      for (const lower of [D, ...pairs.map((pair) => problem.dual(pair))]) if (lower > best.D) best.D = lower
      this.moments.note(this.passes, (at.z ? 0 : 1) + (at.v ? 0 : 1) + (pairs.length && pairs.length + 1))
      const gap = Math.max(0, best.P - best.D), scale = Math.max(P0 - best.D, SMALLEST_SHARE * P0)
      return {iterations: this.iterations, passes: this.passes, P, D, bestP: best.P, bestD: best.D, bestGap: gap > 0 ? gap / scale : 0, updates: this.updates.splice(0), points: () => this.points()}
    })
  }

  /** The pairs that the method's theorems are about, beside its points; `RaceMeasuring`. @returns {import("./problem.js").Points[]} */
  pairs() {
    const {problem, method, S} = this, at = problem.gamma > 0 ? method.bounded?.(problem, S) : null
    if (!at) return []
    const z = at.z ?? problem.predict(at.w), alpha = problem.alpha(z), v = problem.v(alpha)
    return [{w: at.w, z, alpha, v}, ...(problem.l1 > 0 ? [{w: problem.dualPoint(v), alpha, v}] : [])]
  }

  /** @returns {import("./types").Points} */
  points() {
    const {problem, method, last} = this, size = last?.starts ? last.starts.size - 1 : (last?.order.size ?? 0)
    return problem.memory.scratch(() => {
      const at = method.points(problem, this.S), {alpha} = problem.certified(at)
      const lines = last && method.canSplitEpoch && method.fed === "lines" ? linesIn(piece(last, size - 1, size)) : []
      return {w: Float64Array.from(at.w.view), alpha: Float64Array.from(alpha.view), lines}
    })
  }

  /** Let messages be heard now and then; a timer would wait 4 ms. */
  async breathe() {
    if (performance.now() - this.breath < BREATH_MS) return
    await new Promise((next) => {
      const {port1, port2} = new MessageChannel()
      port1.onmessage = () => {
        port1.close()
        next(null)
      }
      port2.postMessage(null)
    })
    this.breath = performance.now()
  }
}

/** Some updates of an epoch; blocks stay where they are. @param {Epoch} epoch @param {number} from @param {number} to @returns {Epoch} */
function piece({order, starts}, from, to) {
  return starts ? {order, starts: starts.slice(from, to + 1)} : {order: order.slice(from, to), starts: null}
}

/** What an update did: its lines, and of a single one its coordinate before and after. @param {{among: number[], isChosen: boolean, values: number[] | null}} before @param {{values: number[] | null}} after */
function moved({among, isChosen, values}, after) {
  const places = Array.from(among.keys()).filter((at) => !isChosen || values?.[at] !== after.values?.[at]), [at] = places, isKnown = places.length === 1 && values !== null
  return {lines: places.map((each) => among[each]), before: isKnown ? values[at] : null, after: isKnown ? /** @type {number[]} */ (after.values)[at] : null}
}

/** Passes at which the best gap was at the target, by the logarithm of the gap. @param {RunRecord} before @param {RunRecord} after @param {number} target */
function interpolated(before, after, target) {
  if (!(before.bestGap > target && after.bestGap > 0)) return after.passes
  const share = Math.log(before.bestGap / target) / Math.log(before.bestGap / after.bestGap)
  return before.passes + Math.min(1, share) * (after.passes - before.passes)
}
