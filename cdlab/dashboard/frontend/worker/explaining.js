/* `explain`: why a race came out so, and why not as predicted, by the rules of `cdlab/explanations` (its rules.json). */

import {probabilities} from "../wasm/index.js"
import {digestOf} from "./choices.js"
import {slowestDirection} from "./curvature.js"
import {figure, reason, template} from "./figures.js"
import {counted, sum} from "./numbers.js"
import {causesOf, rerun, Runs, without, withoutLines} from "./reruns.js"
import {site} from "./site.js"
import {theorem} from "./theorems.js"

/** @typedef {import("./racing").Race} Race @typedef {import("./choices").Contestant} Contestant @typedef {import("../src/schema").Reason} Reason @typedef {import("../src/schema").Figure} Figure */
/** @typedef {{told: Reason, lead: number | null}} Found @typedef {(pair: Pair) => Promise<Found | null> | Found | null} Rule */

const TINY = 1e-300 // stands for 0 passes where they divide

/** Who won a race, and whom the lead is over. */
class Pair {
  /** @param {Race} race @param {Runs} winner @param {Runs} loser */
  constructor(race, winner, loser) {
    this.race = race
    this.winner = winner
    this.loser = loser
    this.lead = loser.cost / winner.cost
    this.half = this.lead ** (1 - site.explanations.thresholds.GONE) // what is left of it where half is gone
  }

  get figures() {
    return {winner: this.winner.figure(), loser: this.loser.figure()}
  }

  /** Whether a factor is about the lead. @param {number} factor */
  accountsFor(factor) {
    const {GONE} = site.explanations.thresholds
    return this.lead ** GONE <= factor && factor <= this.lead ** (1 / GONE)
  }

  /** The runs of an entry without a cause, and the lead then; null unless half of the lead goes with it. What both have is taken from both. @param {Runs} runs @param {string} cause @returns {Promise<{found: Runs, lead: number} | null>} */
  async without(runs, cause) {
    const other = runs === this.loser ? this.winner : this.loser, [least, most] = runs.range
    if (!["draws", "order"].includes(cause) || !causesOf(other.entry).includes(cause)) return this.inPlaceOf(runs, without(runs.entry, cause))
    const both = await ifItFits((async () => [await rerun(this.race.about, without(runs.entry, cause), this.race), await rerun(this.race.about, without(other.entry, cause), this.race)])())
    if (!both) return null
    const [found, beside] = both, [winner, loser] = runs === this.loser ? [beside, found] : [found, beside]
    return (found.cost < least || found.cost > most) && loser.cost <= winner.cost * this.half ? {found, lead: loser.cost / winner.cost} : null
  }

  /** The runs of another entry in the place of one, and the lead then. @param {Runs} runs @param {Contestant} other @returns {Promise<{found: Runs, lead: number} | null>} */
  async inPlaceOf(runs, other) {
    const isLoser = runs === this.loser, [least, most] = runs.range
    const found = await ifItFits(rerun(this.race.about, other, this.race, isLoser ? this.winner.cost * this.half : Infinity))
    if (!found) return null
    const moved = isLoser ? found.cost < least : found.cost > most, [loser, winner] = isLoser ? [found.cost, this.winner.cost] : [this.loser.cost, found.cost]
    return moved && loser <= winner * this.half ? {found, lead: loser / Math.max(winner, TINY)} : null
  }

  /** Norms and entries of the lines that an entry steps along. @param {Contestant} entry */
  profile({side}) {
    const {columnProfile, rowProfile} = this.race.about.problem
    return side === "primal" ? columnProfile : rowProfile
  }

  /** Where the winner has ended. */
  get w() {
    return /** @type {Float64Array} */ (this.winner.views[0].w)
  }
}

/** What a race found; null where it cannot be run. @template T @param {Promise<T>} race @returns {Promise<T | null>} */
const ifItFits = (race) => race.catch(() => null)
/** @param {string} key */
const silent = (key) => reason("none", null, {}, key)

/** @param {Race} race @returns {Promise<import("../src/schema").Explanation>} */
export async function explain(race) {
  const digest = digestOf(race.choices), labels = [...new Set(race.views.map(({entry}) => entry.label))]
  if (labels.length < 2 || !(race.about.start > 0)) return {digest, why: silent(labels.length < 2 ? "alone" : "optimal"), why_not: null}
  const runs = labels.map((label) => race.views.filter(({entry}) => entry.label === label)).map((views) => new Runs(views[0].entry, views, "measured"))
  const winner = fewest(runs.filter(({reached}) => reached))
  if (!winner) return {digest, why: silent("unreached"), why_not: null}
  const others = runs.filter((each) => each !== winner), across = others.filter(({entry}) => entry.side !== winner.entry.side)
  const pair = new Pair(race, winner, /** @type {Runs} */ (fewest(across.length ? across : others))), [primal, dual] = ["primal", "dual"].map((side) => runs.find(({entry}) => entry.side === side))
  const compared = primal && dual ? new Pair(race, .../** @type {[Runs, Runs]} */ (dual.cost < primal.cost ? [dual, primal] : [primal, dual])) : pair // whom the face-off compares
  return {digest, why: await why(pair), why_not: await loosenessOf(compared)}
}

/** The first of those with the fewest passes. @param {Runs[]} runs */
function fewest(runs) {
  const least = Math.min(...runs.map(({cost}) => cost))
  return runs.find(({cost}) => site.explanations.thresholds.ALIKE * cost <= least)
}

// ------------------------------------------------------------ why
/** @param {Pair} pair */
async function why(pair) {
  const {winner, loser} = pair, isEven = loser.reached && (loser.cost < site.explanations.thresholds.EVEN * winner.cost || loser.cost === 0)
  if (isEven || (loser.reached && winner.cost > 0 && winner.range[1] >= loser.range[0])) return reason(isEven ? "even" : "overlap", null, pair.figures)
  if (!winner.cost) return reason("start", null, pair.figures)
  let reversing = null
  for (const rule of rulesOf(pair)) {
    const found = await rule(pair)
    if (!found) continue
    if (found.lead === null || found.lead * pair.lead >= 1) return found.told
    reversing ??= found.told
  }
  return reversing ?? reason("unknown", null, pair.figures)
}

/** Draws that are not uniform, of one of both: uniform ones replace them. @param {Pair} pair @returns {Promise<Found | null>} */
async function draws(pair) {
  for (const runs of [pair.loser, pair.winner]) {
    const {entry} = runs, [cause] = causesOf(entry)
    if (cause !== "draws" && cause !== "order") continue
    const made = await pair.without(runs, cause)
    if (!made) continue
    const parts = {with: runs.figure(), without: made.found.figure()}, work = cause === "draws" && runs === pair.loser ? workOf(pair, entry) : null
    return {told: work ? reason(cause, entry.side, {...parts, work}, "draws.heavy") : reason(cause, entry.side, parts), lead: made.lead}
  }
  return null
}

/** The share of the entries read that are of heavy lines; null where no line is heavy. @param {Pair} pair @param {Contestant} entry */
function workOf(pair, entry) {
  const heavy = heavyOf(pair, entry)
  if (!heavy) return null
  const {counts} = pair.profile(entry), cost = probabilities(pair.race.about.problem, entry.method, entry.sampling, entry.batch).map((x, k) => x * counts[k]), share = (100 * sum(heavy.map((k) => cost[k]))) / sum(cost)
  return figure("work", "counted", entry, share, share, share, {lines: linesOf(entry, heavy)})
}

/** The lines with at least half of the largest entries x norm^2; null where none is heavy. @param {Pair} pair @param {Contestant} entry */
function heavyOf(pair, entry) {
  const {counts, norms2} = pair.profile(entry), {HEAVY, HEAVY_SHARE} = site.explanations.thresholds, largest = (/** @type {Float64Array} */ x) => x.reduce((a, b) => Math.max(a, b), 0)
  const parts = counts.map((x, k) => x * norms2[k]), least = HEAVY_SHARE * largest(parts), heavy = [...parts.keys()].filter((k) => parts[k] >= least && norms2[k] > HEAVY * (sum(norms2) / norms2.length))
  return heavy.length ? heavy : null
}

/** @param {Contestant} entry @param {number[]} lines */
const linesOf = ({side}, lines) => counted(lines.length, side === "primal" ? "column" : "row")

/** Lines of the loser that are much heavier than the mean: both run on the data without them. @param {Pair} pair @returns {Promise<Found | null>} */
async function heavyLines(pair) {
  const {winner, loser: {entry}, race} = pair, heavy = entry.side === "full" ? null : heavyOf(pair, entry)
  if (!heavy) return null
  const found = await ifItFits((async () => {
    const rest = await withoutLines(race, entry.side, heavy), other = await rerun(rest, winner.entry, race)
    return {other, loser: await rerun(rest, entry, race, other.cost * pair.half)}
  })())
  if (!found || found.loser.cost > found.other.cost * pair.half) return null
  const lines = linesOf(entry, heavy)
  return {told: reason("heavy lines", entry.side, {lines, with: pair.loser.figure(), without: found.loser.figure(template("without lines", {lines}))}), lead: null}
}

/** The rule of a cause that one entry has, and its counterpart has not. @param {string} name @returns {Rule} */
const counterpart = (name) => async (pair) => {
  const having = [pair.winner, pair.loser].filter(({entry}) => entry.method in site.explanations.counterparts[name]), [runs] = having
  if (having.length !== 1) return null
  const other = (runs === pair.loser ? pair.winner : pair.loser).entry.method
  if (name === "exact steps" && (site.explanations["exact steps"].includes(other) || (other === "rcd" && pair.race.choices.loss === "squared"))) return null // the other takes them, too
  const made = await pair.without(runs, name)
  if (!made) return null
  const late = `${name}.late`, isLate = runs === pair.loser && late in site.explanations.templates
  return {told: reason(name, runs.entry.side, {with: runs.figure(), without: made.found.figure()}, isLate ? late : name), lead: made.lead}
}

/** Steps that are taken at once, of one of both: one at a time replaces them. @param {Pair} pair @returns {Promise<Found | null>} */
async function batch(pair) {
  const batched = [pair.loser, pair.winner].filter(({entry}) => entry.batch !== null), [runs] = batched
  if (batched.length !== 1) return null
  const made = await pair.without(runs, "batch")
  return made ? {told: reason("batch", runs.entry.side, {with: runs.figure(), without: made.found.figure()}), lead: made.lead} : null
}

/** All that can be taken away from one of both, at once. @param {Pair} pair @returns {Promise<Found | null>} */
async function together(pair) {
  for (const runs of [pair.loser, pair.winner]) {
    const names = causesOf(runs.entry)
    if (names.length < 2) continue
    const made = await pair.inPlaceOf(runs, names.reduce(without, runs.entry))
    if (!made) continue
    const named = names.map((name) => template(`together.${name}`)), causes = template("and", {first: named.slice(0, -1).join(", "), second: named[named.length - 1]})
    return {told: reason("together", runs.entry.side, {causes, with: runs.figure(), without: made.found.figure()}), lead: made.lead}
  }
  return null
}

/** How many steps a pass pays for, of two sides. @type {Rule} */
function steps(pair) {
  const winner = pair.winner.stepsInAPass, loser = pair.loser.stepsInAPass
  if ([pair.winner, pair.loser].map(({entry}) => entry.side).sort().join() !== "dual,primal") return null
  if (winner.value < site.explanations.thresholds.STEPS * loser.value || !pair.accountsFor(winner.value / loser.value)) return null
  return {told: reason("steps", pair.winner.entry.side, {winner, loser}), lead: null}
}

/** The eigenvalue of both, where it accounts for half of the lead. @type {Rule} */
function slowest(pair) {
  const {problem} = pair.race.about, [loser, winner] = [pair.loser, pair.winner].map(({entry}) => slowestDirection(problem, entry, pair.w)?.exact)
  if (!loser || !winner || ![loser, winner].every(({value}) => value > 0 && value < Infinity)) return null
  if (loser.low <= (winner.high ?? Infinity) || !pair.accountsFor(loser.value / winner.value)) return null
  return {told: reason("slowest direction", pair.loser.entry.side, {loser, winner}), lead: null}
}

/** The rules, with that of the one difference between the entries in front. @param {Pair} pair @returns {Rule[]} */
function rulesOf({winner: {entry: one}, loser: {entry: two}}) {
  const {counterparts} = site.explanations, linked = Object.keys(counterparts).filter((name) => counterparts[name][one.method] === two.method || counterparts[name][two.method] === one.method)
  return [...(one.method === two.method && one.batch !== two.batch ? [batch] : []), ...linked.map(counterpart), ...rules()]
}

/** @returns {Rule[]} */
const rules = () => [draws, heavyLines, ...Object.keys(site.explanations.counterparts).map(counterpart), batch, together, steps, slowest]

// ------------------------------------------------------------ why not
/** Why the passes of two entries are not in the ratio of their bounds. @param {Pair} pair @returns {Promise<Reason | null>} */
async function loosenessOf({race, winner, loser, w}) {
  const {NOTABLE, STEEP} = site.explanations.thresholds
  if (!winner.reached || !loser.reached || !(winner.cost > 0)) return null
  const promised = [winner, loser].flatMap((runs) => {
    const {value, curve} = theorem(race.about, runs.entry, race.views[0].target)
    return value === null || !curve ? [] : [{runs, value}]
  }), slack = promised.map(({runs, value}) => value / runs.cost)
  if (slack.length < 2 || Math.min(...slack) === 0 || Math.max(...slack) <= NOTABLE * Math.min(...slack)) return null
  const {runs, value} = promised[slack[1] > slack[0] ? 1 : 0], {entry} = runs, bound = figure("passes", "bound", entry, value, value, value)
  const damped = Object.entries(site.explanations.counterparts["damped steps"]).find(([, exact]) => exact === entry.method)
  if (damped) {
    const found = await ifItFits(rerun(race.about, without(entry, "exact steps"), race))
    if (found && found.cost >= NOTABLE * runs.cost) return reason("damped steps", entry.side, {bound, without: found.figure(), with: runs.figure()}, "bound.damped steps")
  }
  const rates = slowestDirection(race.about.problem, entry, w)
  if (rates && rates.bound.value > STEEP * (rates.exact.high ?? Infinity)) return reason("slowest direction", entry.side, rates, "bound.slowest direction")
  return reason("worst case", entry.side, {bound}, "bound.worst case")
}
