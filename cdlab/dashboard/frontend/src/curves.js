// What the figure draws of a race, as lists of numbers: each entry's median curve, or its first draw while it runs.
import {between, lastAt} from "./scales.js"

/** @typedef {import("./schema").RunData} RunData */
/** @typedef {import("./schema").Outcome} Outcome */
/** @typedef {"passes" | "iterations"} Axis */
/** @typedef {{runs: RunData[], outcome: Outcome | null}} Race */
/**
 * @typedef {object} Series
 * @property {string} label
 * @property {RunData["side"]} side
 * @property {number} nth  how many entries of its side stand before it
 * @property {number[]} x  passes or iterations, rising
 * @property {number[]} gap  relative, falling
 * @property {{x: number[], gap: number[]} | null} least  the best draw at each level
 * @property {{x: number[], gap: number[]} | null} most
 * @property {number | null} reached
 * @property {number} last  where it ends
 * @property {number} lastGap
 * @property {RunData} run  its first draw
 * @property {(x: number) => number} passesAt
 */

export const EVEN = 1.25 // a lead below is none

/** @param {Race} race @param {Axis} [axis] @returns {Series[]} */
export function seriesOf(race, axis = "passes") {
  /** @type {Record<string, number>} */
  const seen = {}
  return labelsOf(race).map((label) => {
    const run = race.runs.find((each) => each.label === label)
    if (!run) throw new Error(`the race has no run of ${label}`)
    const result = race.outcome?.results.find((each) => each.label === label)
    const nth = seen[run.side] ?? 0
    seen[run.side] = nth + 1
    const put = (/** @type {number} */ x) => (axis === "passes" ? x : between(run.passes, run.iterations, x))
    const passesAt = (/** @type {number} */ x) => (axis === "passes" ? x : between(run.iterations, run.passes, x))
    const common = {label, side: run.side, nth, run, passesAt}
    if (!result) {
      const points = known(run.passes, run.gap)
      const lastGap = points.y.at(-1) ?? 1
      return {...common, x: points.x.map(put), gap: points.y, least: null, most: null, last: put(run.passes.at(-1) ?? 0), lastGap,
        reached: run.reached === null ? null : put(run.reached)}
    }
    const bent = (/** @type {(number | null)[]} */ column) => {
      const points = known(column, result.levels)
      return {x: points.x.map(put), gap: points.y}
    }
    const median = bent(result.median)
    if (result.reached === null) {
      median.x.push(put(result.last_passes))
      median.gap.push(result.last_gap)
    }
    return {...common, ...median, least: bent(result.least), most: bent(result.most), last: put(result.last_passes),
      lastGap: result.last_gap, reached: axis === "passes" || result.reached === null ? result.reached : result.iterations}
  })
}

/** The labels of the entries, in their order. @param {Race} race */
export const labelsOf = (race) => race.outcome?.results.map((each) => each.label) ?? [...new Set(race.runs.map((each) => each.label))]

/** The pairs of which both are known. @param {(number | null)[]} xs @param {(number | null)[]} ys */
function known(xs, ys) {
  const kept = xs.map((_, k) => k).filter((k) => xs[k] !== null && ys[k] !== null)
  return {x: kept.map((k) => Number(xs[k])), y: kept.map((k) => Number(ys[k]))}
}

/** The relative gap at x, even between points of the picture in powers of ten. @param {Series} series @param {number} x */
export function gapAt({x: xs, gap}, x) {
  if (!xs.length || x <= xs[0]) return gap[0] ?? 1
  const log = (/** @type {number} */ value) => Math.log10(Math.max(value, 1e-300))
  const k = lastAt(xs, x)
  const near = [k, Math.min(k + 1, xs.length - 1)]
  const place = xs[k] > 0 ? log : Number // no power of ten is at the start
  return 10 ** between(near.map((i) => place(xs[i])), near.map((i) => log(gap[i])), place(x))
}

/** The points up to x, the last one at x. @param {Series} series @param {number | null} x */
export function cut(series, x) {
  if (x === null || x >= (series.x.at(-1) ?? 0)) return series
  const end = lastAt(series.x, x) + 1
  return {x: [...series.x.slice(0, end), x], gap: [...series.gap.slice(0, end), gapAt(series, x)]}
}

/** Steps that the first draw has taken at x. @param {Series} series @param {number} x */
export function stepsAt({run: {passes, iterations, updates}, passesAt}, x) {
  const spent = passesAt(x)
  const known = updates.findIndex((update) => update.passes > spent * (1 + 1e-9))
  return known >= 0 ? known : Math.round(between(passes, iterations, spent))
}

/** Where a race ends: the last entry at its target, or where it gave up. @param {Series[]} all */
export const endOf = (all) => Math.max(1e-3, ...all.map((each) => each.reached ?? each.last))

/**
 * Who leads whom on an axis, and how many times as much the other takes. Of passes the engine says who; null for about even.
 * `first` is the winner, or of about even ones the first.
 * @param {Outcome} outcome @param {Axis} axis @returns {{winner: string | null, loser: string | null, lead: number | null, first?: string}}
 */
export function leadOf(outcome, axis) {
  if (axis === "passes") {
    const loser = outcome.results.find(({label}) => label === outcome.loser)
    const [first] = outcome.results.filter((each) => each !== loser && each.reached !== null).sort((a, b) => Number(a.reached) - Number(b.reached))
    return {winner: outcome.winner, loser: outcome.loser, first: first?.label, lead: first?.reached && loser ? (loser.reached ?? loser.last_passes) / first.reached : outcome.lead}
  }
  const [first, second] = outcome.results.filter((each) => each.iterations !== null).sort((a, b) => Number(a.iterations) - Number(b.iterations))
  if (!first?.iterations) return outcome // nobody is there, or somebody from the start on
  const lead = second ? Number(second.iterations) / first.iterations : null
  return {winner: lead !== null && lead < EVEN ? null : first.label, first: first.label, loser: second?.label ?? null, lead}
}

/**
 * Who is nearest to the target at the end of a race in which nobody came to it; null for about even. The gaps fall like
 * powers, so that logarithms of gaps compare as passes do.
 * @param {Outcome} outcome @returns {string | null}
 */
export function aheadOf({results}) {
  if (results.length < 2 || results.some(({reached}) => reached !== null)) return null
  const [first, second] = [...results].sort((a, b) => a.last_gap - b.last_gap)
  return Math.log(first.last_gap) < EVEN * Math.log(second.last_gap) ? first.label : null
}

/** What the reader guessed, in the unit of the question: right, wrong, or open. @param {string} guess @param {Outcome} outcome @param {Axis} [axis] */
export function verdict(guess, outcome, axis = "passes") {
  const {at_least: lowerBound, results} = outcome
  const {winner, lead} = axis === "passes" ? outcome : leadOf(outcome, axis)
  if (results.length === 1 && results[0].reached !== null) return guess === results[0].label ? "right" : "wrong"
  if (lead === null && winner === null) return "open"
  if (lead !== null && lead < EVEN) return lowerBound ? "open" : guess === "even" ? "right" : "wrong"
  return guess === winner ? "right" : "wrong"
}
