/* Who was first, and by how much: medians over the draws; `engine/outcomes.py`. */

import {finiteOrNone, median} from "./numbers.js"
import {site} from "./site.js"

/** @typedef {import("./run_views").RunView} RunView @typedef {import("../src/schema").Outcome} Outcome */

/** The x at which a curve first comes down to a level, log-linear between its records; `comparisons.crossing`. @param {number[]} x @param {number[]} error @param {number} level */
export function crossing(x, error, level) {
  const k = error.findIndex((each) => each <= level)
  if (k < 0) return Infinity
  if (k === 0 || error[k] <= 0 || !Number.isFinite(error[k - 1])) return x[k]
  return x[k - 1] + (Math.log(error[k - 1] / level) / Math.log(error[k - 1] / error[k])) * (x[k] - x[k - 1])
}

/** The outcome of runs that have ended. @param {RunView[]} views @param {number} target @returns {Outcome} */
export function outcome(views, target) {
  const labels = [...new Set(views.map(({entry}) => entry.label))], runs = labels.map((label) => views.filter(({entry}) => entry.label === label))
  const results = runs.map((own) => resultOf(own, target)), passes = runs.map((own) => own.map(({reached}) => reached)), middle = passes.map(median), sides = runs.map(([{entry}]) => entry.side)
  const first = lowest(middle, [...runs.keys()]), none = {results, winner: null, loser: null, lead: null, lead_low: null, lead_high: null, at_least: false, primal_over_dual: primalOverDual(middle, sides)}
  if (!Number.isFinite(middle[first]) || runs.length < 2) return none
  const others = [...runs.keys()].filter((k) => k !== first), opposite = others.filter((k) => sides[k] !== sides[first]), second = lowest(middle, opposite.length ? opposite : others)
  const known = {...none, loser: labels[second], at_least: middle[second] === Infinity}
  if (!middle[first]) return middle[second] ? {...known, winner: labels[first]} : {...known, lead: 1}
  const spent = passes[second].map((other, k) => (Number.isFinite(other) ? other : runs[second][k].spent.passes))
  const leads = passes[first].flatMap((own, k) => (Number.isFinite(own) && own > 0 ? [spent[k] / own] : []))
  const lead = median(spent) / middle[first], isEven = lead < site.rules.EVEN
  return {...known, winner: isEven ? null : labels[first], lead, lead_low: Math.min(...leads), lead_high: Math.max(...leads)}
}

/** The first of these with the fewest passes: of equal ones, rounding does not choose. @param {number[]} middle @param {number[]} among */
function lowest(middle, among) {
  const least = Math.min(...among.map((k) => middle[k]))
  return /** @type {number} */ (among.find((k) => site.rules.ALIKE * middle[k] <= least))
}

/** @param {RunView[]} views @param {number} target @returns {import("../src/schema").Result} */
function resultOf(views, target) {
  const reached = views.map((view) => view.reached), per = site.rules.LEVELS_PER_DECADE, levels = Array.from({length: Math.ceil(-Math.log10(target) * per)}, (_, k) => 10 ** (-k / per))
  levels.push(target)
  const curves = views.map(({records, gaps}) => ({passes: records.map(({passes}) => passes), gaps}))
  const grid = levels.map((level) => curves.map(({passes, gaps}) => crossing(passes, gaps, level)))
  return {
    label: views[0].entry.label, reached: finiteOrNone(median(reached)), low: finiteOrNone(Math.min(...reached)), high: finiteOrNone(Math.max(...reached)),
    last_gap: Math.min(...views.map(({spent}) => spent.gap)), last_passes: Math.max(...views.map(({spent}) => spent.passes)), levels,
    median: grid.map((each) => finiteOrNone(median(each))), least: grid.map((each) => finiteOrNone(Math.min(...each))), most: grid.map((each) => finiteOrNone(Math.max(...each))),
    iterations: finiteOrNone(median(views.map((view) => view.reachedBy("iterations")))), weights: views.find(({weights}) => weights !== null)?.weights ?? null,
  }
}

/** Of the first entry of each side; null unless both were at the target. @param {number[]} middle @param {string[]} sides */
function primalOverDual(middle, sides) {
  const [primal, dual] = ["primal", "dual"].map((side) => middle[sides.indexOf(side)] ?? Infinity)
  return [primal, dual].every((x) => x > 0 && x < Infinity) ? primal / dual : null
}
