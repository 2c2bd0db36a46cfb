/* The choices of a reader, and the race that they describe; `engine/choices.py`. */

import {site} from "./site.js"

/** @typedef {Record<string, any>} Choices */
/** @typedef {{asked: string, label: string, method: string, sampling: string, size: number, batch: number | null, draws: boolean, side: import("../src/schema").MethodEntry["side"]}} Contestant */

const ENTRY = /^(\w+)(?:\((\d+)\))?(?:@(\w+))?$/
const SHAPES = ["n", "d", "density", "skew", "row_spread", "condition", "noise", "corner", "column", "row", "correlation", "data_seed"]
const WEIGHTS = ["data", "scale", "loss", "gamma", "quantile", "l2", "l2_over_n", "l1", "intercept", "positive"]

/** The choices that a page has sent, complete. @param {Choices | null} given @returns {Choices} */
export function read(given) {
  const choices = {...site.catalog.defaults, ...given}
  for (const [name, value] of Object.entries(choices)) {
    if (!(name in site.catalog.defaults)) throw new Error(`there is no choice ${JSON.stringify(name.slice(0, 40))}`)
    const [least, most] = site.ranges[name] ?? []
    if (least !== undefined && !(typeof value === "number" && value >= least && value <= (most ?? Infinity))) throw new Error(`${name} must be a number from ${least} to ${most ?? "any"}, not ${JSON.stringify(value)}`)
  }
  if (!(choices.methods.length > 0 && choices.methods.length <= site.rules.MOST_ENTRIES)) throw new Error(`a race has 1 to ${site.rules.MOST_ENTRIES} entries, not ${choices.methods.length}`)
  choices.methods.forEach(parseEntry)
  return choices
}

/** Of all choices but the number of draws, which changes nothing but how often a race is run. @param {Choices} choices */
export const digestOf = ({seeds: _, ...rest}) => JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)))

/** @param {Choices} choices */
export const targetOf = ({tol}) => tol || site.catalog.defaults.tol

/** @param {Choices} choices @returns {number[]} */
export const drawsOf = ({seed, seeds}, count = seeds) => Array.from({length: count}, (_, k) => seed + k)

/** The loss and the weights of a problem with so many examples. @param {Choices} choices @param {number} n */
export const weightsOf = ({loss, gamma, l2, l2_over_n, l1}, n) => ({loss, l2: l2_over_n ? l2 / n : l2, l1, ...(site.lab.file.losses[loss]?.chosen ? {gamma} : {})})

/** Equal for choices about the same data. @param {Choices} choices */
export const dataKey = (choices) => {
  const family = site.families[choices.data], about = family ? SHAPES.filter((name) => Object.values(family).includes(name)) : ["upload", "sample", "data_seed"]
  return JSON.stringify([choices.data, choices.scale, choices.loss === "squared", ...about.map((name) => choices[name])])
}

/** Equal for choices that describe the same problem. @param {Choices} choices */
export const problemKey = (choices) => `${dataKey(choices)} ${JSON.stringify(WEIGHTS.map((name) => choices[name]))}`

// ------------------------------------------------------------ entries
/** Method, batch size (0: as chosen for all) and sampling ("": that of its side). @param {string} asked @returns {[string, number, string]} */
export function parseEntry(asked) {
  const [, name, batch, sampling] = ENTRY.exec(asked) ?? []
  if (!name || !methodNamed(name)) throw new Error(`there is no method ${JSON.stringify(asked.slice(0, 40))}: an entry is written like sdca, sdca@importance, quartz(32)`)
  if (sampling && !site.catalog.samplings.some((each) => each.name === sampling)) throw new Error(`there is no sampling ${JSON.stringify(sampling.slice(0, 40))}: there are ${site.catalog.samplings.map((each) => each.name).join(", ")}`)
  if (batch && !site.batches.includes(name)) throw new Error(`${name} takes no batches`)
  return [name, Number(batch ?? 0), sampling ?? ""]
}

/** @param {string} name */
export const methodNamed = (name) => site.catalog.methods.find((each) => each.name === name)

/** The side by whose sampling a method is drawn. @param {string} name */
export const drawnSide = (name) => site.lab.file.methods[name]?.side ?? (methodNamed(name)?.side === "primal" ? "primal" : "dual")

/** What races: label "" until all are known. @param {Choices} choices @param {string} asked @returns {Contestant} */
export function contestant(choices, asked) {
  const [method, own, sampling] = parseEntry(asked), {draws, side} = /** @type {import("../src/schema").MethodEntry} */ (methodNamed(method))
  const chosen = draws ? sampling || (drawnSide(method) === "dual" ? choices.dual_sampling : choices.primal_sampling) : "uniform"
  const size = own || (site.batches.includes(method) ? choices.batch : 1), isBatch = draws && size > 1
  return {asked, label: isBatch ? `${method}(${size})` : method, method, sampling: chosen, size: isBatch ? size : 1, batch: isBatch && chosen === "uniform" ? size : null, draws, side}
}

/** The entries of the race, in order; also those that do not fit the problem. @param {Choices} choices @returns {Contestant[]} */
export function contestants(choices) {
  const twice = choices.against === "none" ? [] : choices.methods.filter((/** @type {string} */ asked) => !asked.includes("@")).map((/** @type {string} */ asked) => `${asked}@${choices.against}`)
  const made = /** @type {Map<string, Contestant>} */ (new Map())
  for (const asked of [...choices.methods, ...twice]) {
    const each = contestant(choices, asked), key = `${each.label} ${each.draws ? each.sampling : ""}`
    if (!made.has(key)) made.set(key, each)
  }
  const all = [...made.values()]
  return all.map((each) => {
    const alone = !each.draws || all.filter(({label}) => label === each.label).length === 1
    return {...each, label: alone ? each.label : `${each.label}, ${each.batch === null ? each.sampling : `tau_nice(${each.batch})`}`}
  })
}

/** Whether a theorem can be about its draws. @param {Contestant} entry */
export const isIndependent = ({sampling}) => !!site.samplings[sampling]?.has_theorem
