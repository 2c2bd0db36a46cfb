/* Counterfactual races: the same race without a supposed cause, run silently; `engine/counterfactual_races.py`. */

import {problem, refusal} from "../wasm/index.js"
import {drawsOf, weightsOf} from "./choices.js"
import {RunView} from "./run_views.js"
import {median} from "./numbers.js"
import {prepare, taken} from "./problems.js"
import {site} from "./site.js"

/** @typedef {import("./problems").Prepared} Prepared @typedef {import("./choices").Contestant} Contestant @typedef {import("./racing").Race} Race */

/** A few draws of an entry to the target of a race; beyond `limit` it does not matter how many passes they are. @param {Prepared} about @param {Contestant} entry @param {Race} race */
export async function rerun(about, entry, race, limit = Infinity) {
  const [first] = race.views, {DRAWS, SLACK} = site.rules, why = refusal(site.theory, about.problem, entry)
  if (why) throw new Error(why)
  const ends = {target: first.target, tol: first.target, limit: Math.min(first.limit, SLACK * limit)}
  const views = drawsOf(race.choices, DRAWS).map((seed) => new RunView(entry, about, seed, false, ends))
  try {
    for (const view of views) while (!view.status) await view.work(Infinity)
  } finally {
    await Promise.all(views.map((view) => view.leave()))
  }
  return views
}

/** The median to the target of the passes, or the iterations; where it did not come there the least it can be. @param {RunView[]} views @param {"passes" | "iterations"} [by] */
export function medianCost(views, by = "passes") {
  const reached = views.map((view) => view.reachedBy(by)), found = median(reached)
  return Number.isFinite(found) ? found : median(reached.map((each, k) => (Number.isFinite(each) ? each : views[k].spent[by])))
}

/** @param {Contestant} entry @returns {Contestant} */
export const drawnUniformly = (entry) => ({...entry, sampling: "uniform"})
/** @param {Contestant} entry @returns {Contestant} */
export const oneAtATime = (entry) => ({...entry, size: 1, batch: null})

/** Another method with the entry's draws, as far as it takes them. @param {Contestant} entry @param {string} name @returns {Contestant} */
export function withMethod(entry, name) {
  const draws = site.lab.file.methods[name].draws, fits = site.rules.TAKES[name]?.includes(entry.sampling) ?? true
  return {...entry, asked: name, label: name, method: name, sampling: draws && fits ? entry.sampling : "uniform", size: 1, batch: null, draws}
}

/** The problem without some of its columns (primal) or rows (dual), with the same weights. @param {Race} race @param {string} side @param {number[]} lines */
export async function withoutLines({about, choices}, side, lines) {
  const {n, d, ...made} = about.problem, data = {...made.data, y: Float64Array.from(made.y.view)}, left = new Set(lines), size = side === "primal" ? d : n, kept = Array.from({length: size}, (_, k) => k).filter((k) => !left.has(k))
  if (!kept.length) throw new Error("nothing is left")
  return prepare(await problem(site.lab, side === "primal" ? taken(data, null, kept) : taken(data, kept, null), weightsOf(choices, n)))
}
