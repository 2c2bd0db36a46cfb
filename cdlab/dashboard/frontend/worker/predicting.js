/* `predict`: what is known of a race before it; `engine/predicting.py`. */

import {constants, probabilities} from "../wasm/index.js"
import {digestOf, contestants, isIndependent, targetOf} from "./choices.js"
import {counted, finiteOrNone, fixed, rounded, sum, told} from "./numbers.js"
import {prepared} from "./problems.js"
import {dataRefusal, entryRefusals, notes, targetRefusals, unreadable} from "./refusals.js"
import {site} from "./site.js"
import {heaviest, theorem} from "./theorems.js"

/** @typedef {import("./choices").Choices} Choices @typedef {import("./choices").Contestant} Contestant @typedef {import("./problems").Prepared} Prepared */
/** @typedef {import("../src/schema").Theorem} Theorem @typedef {import("../src/schema").Prediction} Prediction */

/** @param {Choices} choices @returns {Promise<Prediction>} */
export async function predict(choices) {
  const refusal = dataRefusal(choices)
  if (refusal) return nothing(choices, [refusal])
  let about
  try {
    about = await prepared(choices)
  } catch (error) {
    return nothing(choices, [unreadable(choices, /** @type {Error} */ (error))])
  }
  const {problem, start} = about, refusals = [...entryRefusals(choices), ...targetRefusals(choices)], refused = refusals.map(({what}) => what)
  const racing = contestants(choices).filter(({asked}) => !refused.includes(asked)), theorems = racing.map((entry) => theorem(about, entry, targetOf(choices)))
  const [ratio, ratio_words] = ratioOf(racing, theorems)
  return {
    digest: digestOf(choices), problem: title(choices, about), start: finiteOrNone(start), primal_at_zero: problem.atZero.P, dual_at_zero: finiteOrNone(problem.atZero.D),
    condition: finiteOrNone(conditionOf(problem)), matrix: matrix(about, racing), theorems, primal: sumOf(choices, problem.columnProfile, "primal"), dual: sumOf(choices, problem.rowProfile, "dual"),
    ratio, ratio_words, refusals, estimate: estimate(choices, about, racing, theorems), notes: notes(choices, about),
  }
}

/** What is said where there is no problem. @param {Choices} choices @param {import("../src/schema").Refusal[]} refusals @returns {Prediction} */
const nothing = (choices, refusals) => ({
  digest: digestOf(choices), problem: "", start: null, primal_at_zero: 0, dual_at_zero: null, condition: null, matrix: null, theorems: [], primal: null, dual: null,
  ratio: null, ratio_words: "", refusals, estimate: null, notes: [],
})

/** κ/n. @param {import("../wasm/problem").Problem} problem */
export function conditionOf(problem) {
  const {R, l2, gamma, n} = constants(problem)
  return gamma > 0 ? R ** 2 / (l2 * gamma) / n : Infinity
}

// ------------------------------------------------------------ words and lines
/** @param {Choices} choices @param {Prepared} about */
function title(choices, {problem: {n, d}}) {
  const name = site.families[choices.data] ? "" : `${choices.data === "upload" ? choices.upload.split(":")[0] : choices.data}: `
  return told("title", {examples: name + counted(n, "example"), columns: counted(d, lineWord(choices, "primal")), loss: choices.loss.replaceAll("_", " ")})
}

/** What a line of a side is called. @param {Choices} choices @param {string} side */
export const lineWord = ({data, density, skew}, side) => (side !== "primal" ? "example" : data === "synthetic" && density < 1 && skew > 0 ? "word" : "feature")

/** @param {Prepared} about @param {Contestant[]} racing @returns {import("../src/schema").Matrix} */
function matrix({problem, bins, counts, levels}, racing) {
  const drawn = (/** @type {string} */ side) => racing.find((entry) => entry.draws && entry.side === side)
  return {
    rows: problem.n, columns: problem.d, nonzeros: problem.nnz, ...counts, levels: levels(),
    primal: lines(problem, problem.columnProfile, bins.across, drawn("primal")), dual: lines(problem, problem.rowProfile, bins.down, drawn("dual")),
  }
}

/** @param {import("../wasm/problem").Problem} problem @param {import("../wasm/types").Profile} profile @param {Uint32Array} bins @param {Contestant} [entry] @returns {import("../src/schema").Lines} */
function lines(problem, {norms2, counts}, bins, entry) {
  const size = bins[bins.length - 1] + 1, sizes = new Float64Array(size), largest = new Float64Array(size), entries = new Float64Array(size), drawn = new Float64Array(entry ? size : 0)
  const p = entry ? probabilities(problem, entry.method, entry.sampling, entry.batch) : [], total = sum(p)
  bins.forEach((bin, k) => {
    sizes[bin] += 1
    entries[bin] += counts[k]
    largest[bin] = Math.max(largest[bin], norms2[k])
    if (entry) drawn[bin] += p[k] / total
  })
  return {entries: rounded(entries.map((x, k) => x / sizes[k])), norms2: rounded(largest), probabilities: rounded(drawn.map((x, k) => (x * bins.length) / sizes[k])), largest: heaviest(norms2), largest_entries: counts[heaviest(norms2)]}
}

/** C_P or C_D: entries times norm^2, summed over the lines. @param {Choices} choices @param {import("../wasm/types").Profile} profile @param {string} side @returns {import("../src/schema").Sum} */
function sumOf(choices, {norms2, counts}, side) {
  const {PARTS, HEAVY_SHARE, MANY_ALIKE, ALIKE} = site.rules, parts = norms2.map((x, k) => x * counts[k]).sort().reverse(), value = sum(parts)
  const heavy = value > 0 ? parts.filter((x) => ALIKE * x > HEAVY_SHARE * parts[0]) : parts.slice(0, 0), word = lineWord(choices, side), all = counted(parts.length, word)
  const few = () => told("sum.few", {lines: counted(heavy.length, word), share: fixed((100 * sum(heavy)) / value, 0)})
  return {
    value, parts: rounded(parts.slice(0, PARTS).filter((x) => x > 0)), rest: sum(parts.slice(PARTS)), lines: counts.filter((x) => x > 0).length,
    words: !heavy.length ? "" : heavy.length <= MANY_ALIKE && heavy.length < parts.length && MANY_ALIKE < parts.length ? few() : heavy.length > parts.length / 2 ? told("sum.alike", {lines: all}) : all,
  }
}

/** The primal theorem's passes over the dual one's, of the first entry of each side; or why there is none. @param {Contestant[]} racing @param {Theorem[]} theorems @returns {[number | null, string]} */
function ratioOf(racing, theorems) {
  const at = (/** @type {string} */ side) => racing.findIndex((entry) => entry.side === side), pair = [at("primal"), at("dual")]
  if (pair.includes(-1)) return [null, told("ratio.one side")]
  for (const k of pair) {
    const {label, draws} = racing[k]
    if (theorems[k].value === null) return [null, told(draws && !isIndependent(racing[k]) ? "ratio.order" : "ratio.none", {label})]
    if (theorems[k].curve === null) return [null, told("ratio.averages", {label})]
  }
  const [primal, dual] = pair.map((k) => theorems[k].value)
  return primal && dual ? [primal / dual, told("ratio", {primal, dual})] : [null, told("ratio.near")]
}

/** Seconds that the race will take, if it will take over one. @param {Choices} choices @param {Prepared} about @param {Contestant[]} racing @param {Theorem[]} theorems */
function estimate(choices, {problem}, racing, theorems) {
  const {LOOSE, SECONDS_PER_VISIT, LONG_SECONDS} = site.rules
  const seconds = sum(theorems.map(({value}) => Math.min(choices.passes, (value || Infinity) / LOOSE))) * choices.seeds * problem.nnz * SECONDS_PER_VISIT
  return racing.length && seconds > LONG_SECONDS ? seconds : null
}
