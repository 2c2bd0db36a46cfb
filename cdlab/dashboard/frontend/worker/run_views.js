/* One run of a race: what it measures, its first updates and its snapshots; `engine/run_views.py`. */

import {run} from "../wasm/index.js"
import {METHODS} from "../wasm/methods.js"
import {crossing} from "./outcomes.js"
import {finiteOrNone, number, rounded, sum, told} from "./numbers.js"
import {site} from "./site.js"

/** @typedef {import("./problems").Prepared} Prepared @typedef {import("./choices").Contestant} Contestant @typedef {import("../wasm/types").RunRecord} RunRecord */

const TO_THE_LIMIT = -1 // a target that no gap is at

/** One entry with one draw. */
export class RunView {
  /** @param {Contestant} entry @param {Prepared} about @param {number} seed @param {boolean} first @param {{target: number, tol: number, limit: number}} ends */
  constructor(entry, about, seed, first, {target, tol, limit}) {
    this.entry = entry
    this.about = about
    this.seed = seed
    this.target = target
    this.tol = tol
    this.limit = limit
    const steps = METHODS[entry.method]
    this.isShown = first // step by step
    this.hasUpdates = first && steps.canSplitEpoch && entry.draws && about.problem.nnz <= site.rules.MOST_READ
    this.status = ""
    this.records = /** @type {{passes: number, iterations: number, seconds: number, P: number, D: number, gap: number}[]} */ ([])
    this.updates = /** @type {import("../src/schema").Update[]} */ ([])
    this.snapshots = /** @type {import("../src/schema").Snapshot[]} */ ([])
    this.weights = /** @type {number | null} */ (null)
    this.seconds = 0
    this.visited = 0 // by the first updates
    this.w = /** @type {Float64Array | null} */ (null) // where the run has ended
    this.made = run(entry.method, about.problem, {
      sampling: entry.sampling, seed, batch: entry.batch ?? undefined, target: tol > 0 ? tol : TO_THE_LIMIT, maxPasses: limit, updates: this.hasUpdates ? site.rules.FIRST_UPDATES : 0,
    })
  }

  /** Go on until this moment, or to the end of the run. @param {number} ends of performance.now() */
  async work(ends) {
    while (!this.status) {
      const began = performance.now(), {value, done} = await this.made.next()
      this.seconds += (performance.now() - began) / 1000
      if (done) this.status = this.statusOf(value.status)
      else this.take(value)
      if (performance.now() > ends) break
    }
  }

  /** @param {RunRecord} record */
  take({passes, iterations, bestP, bestD, bestGap, P, updates, points}) {
    const {rules} = site, isDiverged = !Number.isFinite(P) || P > rules.DIVERGED * Math.max(1, this.about.problem.atZero.P)
    this.records.push({passes, iterations, seconds: this.seconds, P: bestP, D: bestD, gap: Math.min(bestGap, 1)})
    if (this.hasUpdates) for (const each of updates) this.note(each)
    const isAtEnd = bestGap <= this.tol || isDiverged || passes >= this.limit, due = rules.FIRST_SNAPSHOT * 10 ** (this.snapshots.length / rules.SNAPSHOTS_PER_DECADE)
    if (!isAtEnd && !(this.isShown && passes >= due)) return
    const {w, alpha, lines} = points(), {bins} = this.about
    if (this.isShown) this.snapshots.push({passes, w: largestOfBins(w, bins.across), alpha: largestOfBins(alpha, bins.down), lines: this.entry.draws ? lines : [], entries: this.entry.draws ? this.entriesOf(lines) : 0})
    if (!isAtEnd) return
    this.w = w
    const least = rules.ZERO_SHARE * w.reduce((top, x) => Math.max(top, Math.abs(x)), 0)
    this.weights = w.filter((x) => Math.abs(x) > least).length
    if (isDiverged) {
      this.status = told("status.diverged", {label: this.entry.label})
      void this.leave()
    }
  }

  /** The nonzeros of some lines. @param {number[]} lines */
  entriesOf(lines) {
    const {problem} = this.about, {counts} = problem.memory.file.methods[this.entry.method].side === "dual" ? problem.rowProfile : problem.columnProfile
    return sum(lines.map((k) => counts[k]))
  }

  /** One of the first updates, as far as its lines go: a method may read more beside. @param {import("../wasm/types").RunUpdate} update */
  note({lines, before, after}) {
    const entries = this.entriesOf(lines), isSingle = lines.length === 1, {nnz} = this.about.problem
    this.visited += entries
    this.updates.push({lines, entries, passes: this.visited / nnz, before: isSingle ? before : null, after: isSingle ? after : null})
  }

  /** @param {string} ended */
  statusOf(ended) {
    const {passes, gap} = this.records[this.records.length - 1], {label} = this.entry
    if (ended === "target") return told("status.target", {label, passes, gap: number(this.tol)})
    return ended === "diverged" ? told("status.diverged", {label}) : told("status.limit", {label, passes, gap: number(gap, 2)})
  }

  /** Give the run up. */
  leave() {
    return this.made.return(/** @type {any} */ (undefined))
  }

  get gaps() {
    return this.records.map(({gap}) => gap)
  }

  /** Passes, or iterations, to the target; Infinity. @param {"passes" | "iterations"} by */
  reachedBy(by) {
    return crossing(this.records.map((each) => each[by]), this.gaps, this.target)
  }

  get reached() {
    return this.reachedBy("passes")
  }

  get spent() {
    return this.records[this.records.length - 1]
  }

  /** Passes that the run is likely to take in all. */
  get expected() {
    if (!this.records.length) return this.limit
    const {passes, gap} = this.spent
    if (this.status || !passes || !(gap > 0 && gap < 1) || !this.tol) return this.status ? passes : this.limit
    return Math.min(this.limit, (passes * Math.log(this.target)) / Math.log(gap))
  }

  /** What has been measured until now. @returns {import("../src/schema").RunData} */
  get run() {
    const {records} = this, column = (/** @type {keyof typeof records[0]} */ name) => records.map((each) => each[name])
    return {
      label: this.entry.label, side: this.entry.side, draw: this.seed, passes: rounded(column("passes"), 8), iterations: column("iterations"), seconds: rounded(column("seconds")),
      primal: column("P").map(finiteOrNone), dual: column("D").map(finiteOrNone), gap: column("gap").map(finiteOrNone), reached: records.length ? finiteOrNone(this.reached) : null,
      status: this.status, updates: this.updates, snapshots: this.snapshots, examples: [], test_error: [],
    }
  }
}

/** The entry of largest modulus of each bin. @param {Float64Array} values @param {Uint32Array} bins */
function largestOfBins(values, bins) {
  const high = new Float64Array(bins[bins.length - 1] + 1).fill(-Infinity), low = high.map(() => Infinity)
  bins.forEach((bin, k) => {
    high[bin] = Math.max(high[bin], values[k])
    low[bin] = Math.min(low[bin], values[k])
  })
  return rounded(high.map((x, bin) => (x >= -low[bin] ? x : low[bin])), 3)
}
