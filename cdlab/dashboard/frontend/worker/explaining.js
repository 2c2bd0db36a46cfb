/* `explain`: why a race came out so, and why not as predicted: the first rule that holds; `engine/explaining.py`. */

import {probabilities} from "../wasm/index.js"
import {digestOf, isIndependent} from "./choices.js"
import {drawnUniformly, medianCost, oneAtATime, rerun, withMethod, withoutLines} from "./counterfactual_races.js"
import {slowestRate} from "./curvature.js"
import {median, plural, spelled, spoken, sum, told} from "./numbers.js"
import {conditionOf, lineWord, predict} from "./predicting.js"
import {site} from "./site.js"

/** @typedef {import("./racing").Race} Race @typedef {import("./choices").Contestant} Contestant @typedef {import("./run_views").RunView} RunView @typedef {import("../src/schema").Reason} Reason */
/** @typedef {Record<string, number | string>} Numbers @typedef {(pair: Pair) => Promise<Reason | null> | Reason | null} Rule */

/** Who won a race, and whom the lead is over. */
class Pair {
  /** @param {Race} race @param {Contestant} winner @param {Contestant} loser @param {number} lead */
  constructor(race, winner, loser, lead) {
    this.race = race
    this.winner = winner
    this.loser = loser
    this.lead = lead
  }

  /** @param {Contestant} entry */
  views = ({label}) => this.race.views.filter(({entry}) => entry.label === label)
  /** @param {Contestant} entry */
  passes = (entry) => medianCost(this.views(entry))
  /** The passes of the loser in a counterfactual race at which half of the lead is gone, if the winner takes so many. @param {number} winner */
  threshold = (winner) => winner * this.lead ** (1 - site.rules.GONE)
  /** Whether half of the lead vanishes in a counterfactual race in which both took so many passes. @param {number} loser @param {number} winner */
  vanished = (loser, winner) => loser <= this.threshold(winner)
  /** Norms and entries of the lines that the entry steps along. @param {Contestant} entry */
  profile = (entry) => profileOf(this.race, entry.side)
  /** What such a line is called. @param {Contestant} entry */
  word = (entry) => lineWord(this.race.choices, entry.side)
}

/** @param {Race} race @param {string} side */
const profileOf = ({about: {problem}}, side) => (side === "primal" ? problem.columnProfile : problem.rowProfile)
/** The probabilities with which an entry's lines are drawn. @param {Race} race @param {Contestant} entry */
const drawsOfLines = (race, {method, sampling, batch}) => probabilities(race.about.problem, method, sampling, batch)
/** What a rule says. @param {string} rule @param {Numbers} numbers @param {import("../src/schema").MethodEntry["side"] | null} [side] @param {string} [key] @returns {Reason} */
const reason = (rule, numbers, side = null, key = rule) => ({rule, side, numbers, sentence: told(key, numbers)})
/** What a counterfactual race found; null where it cannot be run. @template T @param {Promise<T>} race @returns {Promise<T | null>} */
const ifItFits = (race) => race.catch(() => null)

/** @param {Race} race @returns {Promise<import("../src/schema").Explanation>} */
export async function explain(race) {
  return {digest: digestOf(race.choices), why: await why(race), why_not: await whyNot(race)}
}

// ------------------------------------------------------------ why
/** @param {Race} race */
async function why(race) {
  const entries = new Map(race.views.map(({entry}) => [entry.label, entry])), {lead, winner, loser} = race.outcome
  if (entries.size < 2) return reason("none", {}, null, "none.alone")
  if (!(race.about.start > 0)) return reason("none", {}, null, "none.optimal")
  if (lead === null || loser === null) return reason("none", {}, null, "none.unreached")
  if (winner === null) return even(race, [...entries.values()])
  const pair = new Pair(race, /** @type {Contestant} */ (entries.get(winner)), /** @type {Contestant} */ (entries.get(loser)), lead)
  for (const rule of RULES) {
    const found = await rule(pair)
    if (found) return found
  }
  return null
}

/** @param {Race} race @param {Contestant[]} entries */
function even({about: {problem}, outcome}, entries) {
  if (["primal", "dual"].every((side) => entries.some((entry) => entry.side === side))) return reason("even", {column_entries: problem.nnz / problem.d, row_entries: problem.nnz / problem.n})
  const [first] = [...outcome.results].sort((a, b) => (a.reached || Infinity) - (b.reached || Infinity))
  return reason("even", {winner: first.label, loser: outcome.loser ?? "", percent: 100 * (/** @type {number} */ (outcome.lead) - 1)}, null, "even.one side")
}

/** Draws that are not uniform, of the loser. @param {Pair} pair @returns {Promise<Reason | null>} */
async function importance(pair) {
  const {loser: entry, race} = pair, {nnz} = race.about.problem
  if (!entry.draws || entry.sampling === "uniform" || !isIndependent(entry) || (await withUniformDraws(pair)) === null) return null
  const {counts} = pair.profile(entry), p = drawsOfLines(race, entry), heavy = heavyLines(pair.profile(entry)), cost = p.map((x, k) => x * counts[k]), of = (/** @type {Float64Array} */ x) => sum(heavy.map((k) => x[k])) / sum(x)
  return reason("importance", {
    sampling: entry.sampling, count: heavy.length, lines: plural(pair.word(entry), heavy.length), line: pair.word(entry), steps: 100 * sum(heavy.map((k) => p[k])), work: 100 * of(cost),
    wait: sum(cost) / p.reduce((least, x) => (x > 0 ? Math.min(least, x) : least), Infinity) / nnz,
  }, entry.side)
}

/** Passes of the loser with uniform draws; null unless they are much fewer and half of the lead goes with them. @param {Pair} pair */
async function withUniformDraws(pair) {
  const allowed = Math.min(pair.threshold(pair.passes(pair.winner)), pair.passes(pair.loser) / site.rules.BETTER)
  const passes = medianCost(await rerun(pair.race.about, drawnUniformly(pair.loser), pair.race, allowed))
  return passes <= allowed ? passes : null
}

/** An order in place of random draws, of the loser. @param {Pair} pair @returns {Promise<Reason | null>} */
async function order(pair) {
  const {loser: entry} = pair
  if (!entry.draws || isIndependent(entry)) return null
  const passes = await withUniformDraws(pair)
  return passes === null ? null : reason("order", {loser: entry.label, passes}, entry.side)
}

/** Lines of the loser that are much heavier than the mean: the same race on the data without them. @param {Pair} pair @returns {Promise<Reason | null>} */
async function heavyLine(pair) {
  const {loser: entry, winner, race} = pair, {counts, norms2} = pair.profile(entry), {problem} = race.about
  if (entry.side === "full" || Math.max(...norms2) <= site.rules.HEAVY * (sum(norms2) / norms2.length)) return null
  const heavy = heavyLines({counts, norms2})
  const found = await ifItFits((async () => {
    const rest = await withoutLines(race, entry.side, heavy), other = medianCost(await rerun(rest, winner, race))
    return {other, without: await rerun(rest, entry, race, pair.threshold(other))}
  })())
  if (!found || !pair.vanished(medianCost(found.without), found.other)) return null
  const p = entry.draws ? drawsOfLines(race, entry) : counts.map(() => 1), reads = p.map((x, k) => x * counts[k]), many = heavy.length > 1, across = entry.side === "primal" ? problem.n : problem.d
  const times = medianCost(pair.views(entry), "iterations") / medianCost(found.without, "iterations"), isFull = entry.side === "primal" && heavy.every((k) => counts[k] >= site.rules.FULL_LINE_SHARE * across)
  return reason("heavy line", {
    count: spelled(heavy.length), lines: plural(pair.word(entry), heavy.length), stand: many ? "stand" : "stands", them: many ? "them" : "it",
    others: plural(lineWord(race.choices, entry.side === "primal" ? "dual" : "primal"), 2), share: (100 * sum(heavy.map((k) => reads[k]))) / sum(reads), loser: entry.label, times: orOver(times, pair.views(entry)),
  }, entry.side, isFull ? "heavy line.full" : "heavy line")
}

/** The lines that are named with the heaviest one. @param {{counts: Float64Array, norms2: Float64Array}} profile */
function heavyLines({counts, norms2}) {
  const parts = counts.map((x, k) => x * norms2[k]), least = site.rules.HEAVY_SHARE * Math.max(...parts)
  return [...parts.keys()].filter((k) => parts[k] >= least)
}

/** A method with momentum, or with easier problems, against one without: its plain counterpart in its place. @param {Pair} pair @returns {Promise<Reason | null>} */
async function momentum(pair) {
  const {winner, loser, race} = pair, accelerated = [winner, loser].filter(({method}) => method in site.rules.PLAIN)
  if (accelerated.length !== 1 || race.about.problem.gamma === 0) return null // with a kink there is no κ
  const [entry] = accelerated, found = await ifItFits(rerun(race.about, withMethod(entry, site.rules.PLAIN[entry.method]), race))
  if (!found) return null
  const plain = medianCost(found), won = entry === winner
  if (!(won ? pair.vanished(pair.passes(loser), plain) : pair.vanished(plain, pair.passes(winner)))) return null
  const rule = site.rules.OUTER.includes(entry.method) ? "proximal point" : "momentum"
  const {problem} = race.about, isPrimal = winner.side === "primal" && loser.side === "primal", {norms2} = problem.columnProfile
  const condition = isPrimal ? norms2.reduce((most, x) => Math.max(most, x), 0) / (problem.gamma * problem.l2) / problem.n : conditionOf(problem)
  return reason(rule, {measure: isPrimal ? "max ‖column‖²/(γλn)" : "κ/n", condition, winner: winner.label, loser: loser.label}, entry.side, won ? rule : `${rule}.late`)
}

/** Slopes of single examples, of the loser, which do not vanish at the best w: corrected ones in their place. @param {Pair} pair @returns {Promise<Reason | null>} */
async function noise(pair) {
  const {winner, loser, race} = pair, other = site.rules.NOISY[loser.method], allowed = pair.threshold(pair.passes(winner))
  const found = other ? await ifItFits(rerun(race.about, withMethod(loser, other), race, allowed)) : null, passes = found ? medianCost(found) : Infinity
  return passes <= allowed ? reason("noise", {loser: loser.label, other, passes}, loser.side) : null
}

/** Steps taken at once, from one point: one at a time in their place. @param {Pair} pair @returns {Promise<Reason | null>} */
async function batch(pair) {
  const {winner, loser, race} = pair, batched = [loser, winner].filter(({batch: size}) => size !== null), {problem} = race.about
  if (batched.length !== 1) return null
  const [entry] = batched, isLoser = entry === loser, m = /** @type {number} */ (entry.batch)
  const alone = medianCost(await rerun(race.about, oneAtATime(entry), race, isLoser ? pair.threshold(pair.passes(winner)) : pair.passes(loser)))
  if (!(isLoser ? pair.vanished(alone, pair.passes(winner)) : pair.vanished(pair.passes(loser), alone))) return null
  const isDual = entry.side === "dual", {counts, norms2} = profileOf(race, isDual ? "primal" : "dual"), size = isDual ? problem.n : problem.d
  const others = counts.map((x) => Math.max(x - 1, 0) / Math.max(1, size - 1))
  const shared = sum(counts.map((x, k) => x * (1 - (1 - others[k]) ** (m - 1)))) / problem.nnz, times = sum(norms2.map((x, k) => x * (1 + (m - 1) * others[k]))) / sum(norms2)
  return reason("batch", {batch: m, share: 100 * shared, times}, entry.side)
}

/** More examples than features, or fewer: a pass is more of the shorter steps. @type {Rule} */
function shape({winner, loser, race}) {
  const {n, d} = race.about.problem, steps = /** @type {Record<string, number>} */ ({primal: d, dual: n})
  if (!(winner.side in steps && loser.side in steps) || winner.side === loser.side || steps[winner.side] < site.rules.SHAPE * steps[loser.side]) return null
  return reason("shape", {winner: winner.label, loser: loser.label, winner_steps: steps[winner.side], loser_steps: steps[loser.side]}, winner.side)
}

/** @type {Rule[]} */
const RULES = [importance, order, heavyLine, momentum, noise, batch, shape]

/** The number; "over" it where the runs that it is of did not come to the target. @param {number} value @param {RunView[]} views */
const orOver = (value, views) => (Number.isFinite(median(views.map(({reached}) => reached))) ? value : `over ${spoken(value)}`)

// ------------------------------------------------------------ why not
/** Why the measured lead is not the predicted one. @param {Race} race @returns {Promise<Reason | null>} */
async function whyNot(race) {
  const measured = race.outcome.primal_over_dual, {ratio, theorems} = await predict(race.choices), {NOTABLE} = site.rules
  if (measured === null || ratio === null || (ratio / measured >= 1 / NOTABLE && ratio / measured <= NOTABLE)) return null
  const firsts = ["primal", "dual"].map((side) => /** @type {Contestant} */ (race.views.find(({entry}) => entry.side === side)?.entry))
  const slack = firsts.map(({label}) => (theorems.find((each) => each.label === label)?.value ?? 0) / (race.outcome.results.find((each) => each.label === label)?.reached ?? Infinity))
  const order = theorems.findIndex(({label}) => label === firsts[0].label) < theorems.findIndex(({label}) => label === firsts[1].label) ? [0, 1] : [1, 0]
  const entry = firsts[slack[order[1]] > slack[order[0]] ? order[1] : order[0]]
  return (entry.side === "primal" ? flattest(race, entry) : null) ?? (await exactSteps(race, entry))
}

/** The rate near the end against that of the bound, where the curvature there accounts for it. @param {Race} race @param {Contestant} entry */
function flattest(race, entry) {
  const {problem} = race.about, {w} = /** @type {RunView} */ (race.views.find((view) => view.entry.label === entry.label)), {EIGENVALUES_LIMIT, STEEP} = site.rules
  if (problem.d > EIGENVALUES_LIMIT || problem.l1 > 0 || problem.gamma === 0 || !w || !entry.draws || entry.batch !== null || !isIndependent(entry)) return null
  const {rate, bound} = slowestRate(problem, w, drawsOfLines(race, entry))
  const measured = paceOf(/** @type {import("../src/schema").Result} */ (race.outcome.results.find(({label}) => label === entry.label)))
  return bound > STEEP * rate ? reason("flattest direction", {method: entry.label, measured, bound}, "primal") : null
}

/** Passes in which the gap fell by a factor e, over the last two powers of ten before the target. @param {import("../src/schema").Result} result */
function paceOf({levels, median}) {
  const last = levels.length - 1, k = Math.max(0, last - 2 * site.rules.LEVELS_PER_DECADE)
  return (Number(median[last]) - Number(median[k])) / Math.log(levels[k] / levels[last])
}

/** @param {Race} race @param {Contestant} entry */
async function exactSteps(race, entry) {
  const fixed = site.rules.FIXED_STEPS[entry.method], views = fixed ? await ifItFits(rerun(race.about, withMethod(entry, fixed), race)) : null
  if (!views) return null
  const own = medianCost(race.views.filter((view) => view.entry.label === entry.label)), passes = medianCost(views)
  return passes < site.rules.BETTER * own ? null : reason("exact steps", {method: entry.label, fixed, passes: orOver(passes, views)}, entry.side)
}
