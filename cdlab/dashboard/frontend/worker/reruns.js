/* An entry's runs to the target of a race, with seeds of their own; `explanations/reruns.py`. */

import {problem, refusal} from "../wasm/index.js"
import {weightsOf} from "./choices.js"
import {figure} from "./figures.js"
import {median} from "./numbers.js"
import {prepare, taken} from "./problems.js"
import {RunView} from "./run_views.js"
import {site} from "./site.js"

/** @typedef {import("./problems").Prepared} Prepared @typedef {import("./choices").Contestant} Contestant @typedef {import("./racing").Race} Race */

/** The runs of an entry, and what they say. */
export class Runs {
  /** @param {Contestant} entry @param {RunView[]} views @param {"measured" | "simulated"} source */
  constructor(entry, views, source) {
    this.entry = entry
    this.views = views
    this.source = source
    this.high = views.map(({reached}) => reached)
    this.low = views.map(({reached, spent}) => (Number.isFinite(reached) ? reached : spent.passes))
    this.reached = Number.isFinite(median(this.high))
    this.cost = median(this.reached ? this.high : this.low)
    this.range = [Math.min(...this.low), Math.max(...this.high)]
  }

  /** The passes, as a figure. @param {string} [data] */
  figure(data = "") {
    return figure("passes", this.source, this.entry, this.cost, this.range[0], this.range[1], {data, runs: this.views.length, reached: this.reached})
  }

  /** Steps that a pass pays for. */
  get stepsInAPass() {
    const x = median(this.views.map((view, k) => (Number.isFinite(view.reached) ? view.reachedBy("iterations") : view.spent.iterations) / Math.max(this.low[k], 1e-300)))
    return figure("steps", "counted", this.entry, x, x, x)
  }
}

/** Runs to the target of a race; beyond `limit` it does not matter how many passes they are. @param {Prepared} about @param {Contestant} entry @param {Race} race @returns {Promise<Runs>} */
export async function rerun(about, entry, race, limit = Infinity) {
  const [first] = race.views, {RUNS, FIRST_SEED, SLACK} = site.explanations.thresholds, why = refusal(site.theory, about.problem, entry)
  if (why) throw new Error(why)
  const ends = {target: first.target, tol: first.target, limit: Math.min(first.limit, SLACK * limit)}
  const views = Array.from({length: RUNS}, (_, k) => new RunView(entry, about, FIRST_SEED + k, false, ends))
  try {
    for (const view of views) while (!view.status) await view.work(Infinity)
  } finally {
    await Promise.all(views.map((view) => view.leave()))
  }
  return new Runs(entry, views, "simulated")
}

/** What an entry has that can be taken away. @param {Contestant} entry @returns {string[]} */
export function causesOf({method, draws, batch, sampling}) {
  const found = Object.entries(site.explanations.counterparts).flatMap(([name, pairs]) => (method in pairs ? [name] : []))
  if (batch !== null) found.unshift("batch")
  if (draws && batch === null && sampling !== "uniform") found.unshift(site.samplings[sampling].has_theorem ? "draws" : "order")
  return found
}

/** An entry without one of its causes. @param {Contestant} entry @param {string} cause @returns {Contestant} */
export function without(entry, cause) {
  if (cause === "draws" || cause === "order") return {...entry, sampling: "uniform"}
  if (cause === "batch") return {...entry, size: 1, batch: null}
  const method = site.explanations.counterparts[cause][entry.method], {draws, side} = site.catalog.methods.find(({name}) => name === method) ?? entry, fits = site.rules.TAKES[method]?.includes(entry.sampling) ?? true
  return {...entry, asked: method, label: method, method, side, sampling: draws && fits ? entry.sampling : "uniform", size: 1, batch: null, draws}
}

/** The problem without some of its columns (primal) or rows (dual), with the same weights. @param {Race} race @param {string} side @param {number[]} lines */
export async function withoutLines({about, choices}, side, lines) {
  const {n, d, ...made} = about.problem, data = {...made.data, y: Float64Array.from(made.y.view)}, left = new Set(lines), size = side === "primal" ? d : n, kept = Array.from({length: size}, (_, k) => k).filter((k) => !left.has(k))
  if (!kept.length) throw new Error("nothing is left")
  return prepare(await problem(site.lab, side === "primal" ? taken(data, null, kept) : taken(data, kept, null), weightsOf(choices, n)))
}
