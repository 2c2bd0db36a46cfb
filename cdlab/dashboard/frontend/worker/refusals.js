/* What cannot be, why, and what would do; `engine/predicting.py`. What only Python has is refused here, too. */

import {constants, refusal} from "../wasm/index.js"
import {drawnSide, contestant, contestants, methodNamed, parseEntry, targetOf} from "./choices.js"
import {counted, number, told} from "./numbers.js"
import {entriesOf, ownFile} from "./problems.js"
import {site} from "./site.js"

/** @typedef {import("./choices").Choices} Choices @typedef {import("./choices").Contestant} Contestant @typedef {import("../src/schema").Refusal} Refusal @typedef {import("../src/schema").Repair} Repair */

/** A sentence: a capital, unless it begins with a symbol or a method, and one full stop. @param {string} text */
export function sentence(text) {
  const first = text.split(" ")[0], isWord = /^\p{L}+$/u.test(first) && (first.length > 1 || first === "a") && !methodNamed(first)
  return (isWord ? text[0].toUpperCase() + text.slice(1) : text) + (/[.!?]$/.test(text) ? "" : ".")
}

// ------------------------------------------------------------ data
/** Why the data are more than this page takes, as far as that is known before they are there. @param {Choices} choices @returns {Refusal | null} */
export function dataRefusal(choices) {
  const why = whyNoData(choices)
  if (why && choices.data === "upload") return {what: "file", why, repairs: []}
  return why ? {what: "data", why, repairs: dataRepairs(choices)} : null
}

/** @param {Choices} choices */
function whyNoData(choices) {
  const {data, n, d, density} = choices, most = site.catalog.limits.entries
  if (site.families[data]) {
    const size = `${counted(n, "row")} × ${counted(d, "column")}`
    if (entriesOf(choices) > most) return told("refusal.large", {data: size, stored: entriesOf(choices) / 1e6, limit: most / 1e6})
    if ("alpha" in site.families[data] && Math.round(density * n * d) < Math.max(n, d)) return told("refusal.empty", {density, size, least: Math.max(n, d) / (n * d)})
    return ""
  }
  if (data === "upload") {
    try {
      ownFile(choices)
      return ""
    } catch (error) {
      return sentence(/** @type {Error} */ (error).message)
    }
  }
  const preset = site.catalog.presets.find(({name}) => name === data)
  return preset ? preset.why_not : told("refusal.data", {data})
}

/** What an error says of data. @param {Choices} choices @param {Error} error @returns {Refusal} */
export const unreadable = (choices, error) => ({what: "data", why: sentence(error.message), repairs: dataRepairs(choices)})

/** @param {Choices} choices @returns {Repair[]} */
function dataRepairs(choices) {
  const {data, n, d, density} = choices, family = site.families[data], stored = family ? entriesOf(choices) : 0, most = site.catalog.limits.entries
  const take = (/** @type {number} */ x) => [{words: told("repair.density", {density: number(x)}), choices: {density: x}}]
  if (family) {
    const [least] = site.ranges.density, less = Number(((0.9 * density * most) / stored).toExponential(1)), asks = Object.values(family).includes("density")
    if (stored > most && asks && less >= least) return take(less)
    if (asks) return take(Math.min(1, Number(((1.01 * Math.max(n, d)) / (n * d)).toExponential(2))))
    return [{words: told("repair.rows"), choices: {n: 1000}}]
  }
  if (site.lab.file.losses[choices.loss]?.classification && (data === "upload" || site.catalog.presets.some(({name, why_not}) => name === data && !why_not))) return [{words: told("repair.squared"), choices: {loss: "squared"}}]
  return [{words: told("repair.words"), choices: {data: "synthetic"}}]
}

// ------------------------------------------------------------ entries
/** Why an entry cannot run; empty if it can. @param {Choices} choices @param {Contestant} entry */
function whyNot(choices, entry) {
  const loss = site.catalog.losses.find(({name}) => name === choices.loss), sampling = site.catalog.samplings.find(({name}) => name === entry.sampling)
  const facts = site.lab.file.methods[entry.method], lines = facts?.side === "dual" ? choices.n : choices.d, isMade = !!site.families[choices.data]
  if (loss?.why_not || methodNamed(entry.method)?.why_not) return loss?.why_not || methodNamed(entry.method)?.why_not || ""
  if (entry.draws && sampling?.why_not) return sampling.why_not
  if (entry.size > 1 && facts.batches && choices.blocks !== site.rules.ANY_BLOCK) return told("refusal.blocks")
  if (entry.size > 1 && !facts.batches) return told("refusal.batch", {method: entry.method})
  if (choices.intercept) return told("refusal.intercept")
  if (choices.positive) return told("refusal.positive")
  if (choices.l2 === 0) return told("refusal.weight")
  if (entry.batch !== null && isMade && entry.batch > lines) return sentence(`${entry.method} has batch_size=${entry.batch} for ${lines} ${facts.side === "dual" ? "examples" : "features"}: take batch_size <= ${lines}`)
  const why = refusal(site.theory, /** @type {any} */ (choices), entry), {method, size} = entry
  return why || size === 1 || entry.sampling === "uniform" ? why : told(entry.sampling === "importance" ? "refusal.blocks" : "refusal.draws", {method, size: String(size), sampling: entry.sampling})
}

/** The chosen entries that cannot run, with repairs; then the methods, samplings and losses that would not fit. @param {Choices} choices @returns {Refusal[]} */
export function entryRefusals(choices) {
  const chosen = contestants(choices).flatMap((entry) => {
    const why = whyNot(choices, entry)
    return why ? [{what: entry.asked, why, repairs: repairs(choices, entry)}] : []
  })
  return [...chosen, ...others(choices)]
}

/** The changes, of one choice or of two, with which an entry runs: the mildest first. @param {Choices} choices @param {Contestant} entry @returns {Repair[]} */
function repairs(choices, entry) {
  const [name, batch, sampling] = parseEntry(entry.asked), {ROUNDED, INSTEAD, MOST_REPAIRS} = site.rules, rest = choices.methods.filter((/** @type {string} */ asked) => asked !== entry.asked)
  const inPlace = (/** @type {string} */ other) => ({methods: choices.methods.map((/** @type {string} */ asked) => (asked === entry.asked ? other : asked))})
  const plain = INSTEAD[entry.side], rounded = ROUNDED[choices.loss], words = {method: name, loss: (rounded ?? "").replaceAll("_", " ")}
  /** @type {[boolean, string, Choices][]} */
  const known = [
    [!!sampling || batch > 0, "repair.alone", inPlace(name)], [entry.draws && (entry.batch !== null || entry.sampling !== "uniform"), "repair.uniform", {[`${drawnSide(name)}_sampling`]: "uniform"}],
    [choices.blocks !== site.rules.ANY_BLOCK, "repair.blocks", {blocks: site.rules.ANY_BLOCK}], [choices.batch > 1, "repair.batch", {batch: 1}], [choices.intercept, "repair.intercept", {intercept: false}], [choices.positive, "repair.positive", {positive: false}], [!!rounded, "repair.loss", {loss: rounded}],
    [choices.l2 === 0, "repair.weight", {l2: 1, l2_over_n: true}], [choices.l1 > 0, "repair.l1", {l1: 0}], [!rest.includes(plain) && plain !== name, "repair.method", inPlace(plain)],
  ]
  const single = known.filter(([fits]) => fits).map(([, key, changes]) => ({words: told(key, key === "repair.method" ? {method: plain} : words), changes}))
  const pairs = single.flatMap((a, k) => single.slice(k + 1).map((b) => ({words: `${a.words} and ${b.words}`, changes: {...a.changes, ...b.changes}})))
  const doing = (/** @type {typeof single} */ among) => among.filter(({changes}) => {
    const changed = {...choices, ...changes}
    return contestants(changed).every((other) => rest.includes(other.asked) || !whyNot(changed, other))
  }).slice(0, MOST_REPAIRS).map(({words: text, changes}) => ({words: text, choices: changes}))
  const alone = doing(single)
  return alone.length ? alone : doing(pairs)
}

/** What is not chosen, and could not be. @param {Choices} choices @returns {Refusal[]} */
function others(choices) {
  const all = contestants(choices), found = /** @type {Refusal[]} */ ([]), say = (/** @type {string} */ what, /** @type {string} */ why) => { if (why) found.push({what, why, repairs: []}) }
  for (const {name} of site.catalog.methods) if (!choices.methods.includes(name)) say(name, whyNot(choices, contestant({...choices, batch: 1}, name)))
  for (const {name} of site.catalog.samplings) {
    const whys = all.filter(({draws}) => draws).map((entry) => whyNot(choices, {...entry, sampling: name}))
    if (whys.length && whys.every(Boolean) && ![choices.primal_sampling, choices.dual_sampling].includes(name)) say(name, whys[0])
  }
  for (const {name} of site.catalog.losses) {
    if (name === choices.loss) continue
    const whys = contestants({...choices, loss: name}).map((entry) => whyNot({...choices, loss: name}, entry))
    if (whys.every(Boolean)) say(name, whys[0])
  }
  return found
}

/** A target that rounding alone exceeds. @param {Choices} choices @returns {Refusal[]} */
export function targetRefusals(choices) {
  if (targetOf(choices) >= site.rules.LEAST_TARGET) return []
  return [{what: "target", why: told("refusal.target"), repairs: [{words: told("repair.target"), choices: {tol: 1e-12}}]}]
}

/** Why nothing can be gained from the start on; "" where something can. @param {import("../wasm/problem").Problem} problem */
export const withoutGain = (problem) => (!(problem.atZero.P > problem.atZero.D) ? told("note.optimal") : constants(problem).more.P0 > 0 ? "" : told("note.zero"))

/** @param {Choices} choices @param {import("./problems").Prepared} about */
export function notes(choices, {problem}) {
  return [...[withoutGain(problem)].filter(Boolean), ...(choices.data === "upload" ? [ownFile(choices).label] : [])]
}
