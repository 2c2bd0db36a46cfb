/* The problem of some choices with what is known of it before a race; `engine/problems.py`. The last few are kept. */

import {make, preset, problem, scaled} from "../wasm/index.js"
import {eachEntry} from "../wasm/making.js"
import {Kernels} from "../wasm/kernels.js"
import {Generator} from "../wasm/random.js"
import {dataKey, problemKey, weightsOf} from "./choices.js"
import {site} from "./site.js"

/** @typedef {import("../wasm/types").Data} Data @typedef {import("./choices").Choices} Choices @typedef {import("../wasm/problem").Problem} Problem */
/** @typedef {{problem: Problem, start: number, bins: {down: Uint32Array, across: Uint32Array}, counts: {down: number, across: number}, levels: () => string}} Prepared */

const DOWN = 128, ACROSS = 96 // cells of the picture of X, at most
const MOST_DATA = 3, MOST_PROBLEMS = 3

/** @type {Map<string, Data>} */
const dataSets = new Map()
/** @type {Map<string, Prepared>} */
const problems = new Map()
/** The reader's own files, by what `upload` says of them. @type {Map<string, {data: Data, label: string}>} */
export const files = new Map()

/** The last few results of a function, by key. @template T @param {Map<string, T>} kept @param {string} key @param {number} most @param {() => Promise<T>} f */
async function once(kept, key, most, f) {
  const found = kept.get(key) ?? (await f())
  kept.delete(key)
  kept.set(key, found)
  for (const old of kept.keys()) if (kept.size > most) kept.delete(old)
  return found
}

/** @param {Choices} choices @returns {Promise<Prepared>} */
export const prepared = (choices) => once(problems, problemKey(choices), MOST_PROBLEMS, async () => {
  const data = await once(dataSets, dataKey(choices), MOST_DATA, () => dataOf(choices))
  return prepare(await problem(site.lab, data, weightsOf(choices, data.n)))
})

/** @param {Problem} made @returns {Prepared} */
export function prepare(made) {
  const {n, d, data, atZero} = made, down = cellOf(n, DOWN), across = cellOf(d, ACROSS), counts = {down: down[n - 1] + 1, across: across[d - 1] + 1}
  let levels = ""
  return {problem: made, start: atZero.P - atZero.D, bins: {down, across}, counts, levels: () => (levels ||= picture(data, down, across, counts))}
}

/** The bin of each line. @param {number} lines @param {number} most */
const cellOf = (lines, most) => Uint32Array.from({length: lines}, (_, k) => Math.floor((k * Math.min(lines, most)) / lines))

/** The picture of X, see `Matrix` of the schema. @param {Data} data @param {Uint32Array} down @param {Uint32Array} across @param {{down: number, across: number}} counts */
function picture(data, down, across, counts) {
  const cells = new Float64Array(counts.down * counts.across)
  eachEntry(data, (i, j, e) => {
    const cell = down[i] * counts.across + across[j]
    cells[cell] = Math.max(cells[cell], Math.abs(data.values[e]))
  })
  const top = cells.reduce((a, b) => Math.max(a, b), 0)
  return btoa(String.fromCharCode(...cells.map((x) => (top > 0 ? Math.ceil(255 * Math.sqrt(x / top)) : 0))))
}

// ------------------------------------------------------------ data
/** @param {Choices} choices @returns {Promise<Data>} */
async function dataOf(choices) {
  const family = site.families[choices.data]
  if (family) return scaled(await make(site.lab, choices.data, argumentsOf(choices)), choices.scale)
  if (choices.data === "upload") return scaled(ownFile(choices).data, choices.scale)
  const file = JSON.parse(new TextDecoder().decode(await site.read(`presets/${choices.data}.json`)))
  const whole = scaled(preset(file), choices.scale)
  return choices.sample ? await sampled(whole, choices) : whole
}

/** @param {Choices} choices */
export function ownFile({upload}) {
  const found = files.get(upload)
  if (!found) throw new Error(`these choices are about ${upload ? `${upload.split(":")[0]}, which was open in another page` : "a file of your own"}: choose the file under Data`)
  return found
}

/** The arguments of the generator; `Family.arguments`. @param {Choices} choices @returns {Record<string, any>} */
export function argumentsOf(choices) {
  const given = Object.fromEntries(Object.entries(site.families[choices.data]).map(([name, choice]) => [name, choices[choice]]))
  if ("task" in given) given.task = site.lab.file.losses[choices.loss].classification ? "classification" : "regression"
  if ("alpha" in given) given.alpha = Math.round(choices.density * choices.n * choices.d)
  return given
}

/** About how many numbers made data store. @param {Choices} choices */
export function entriesOf({data, n, d, density}) {
  if (data === "arrow") return n + d
  if (data === "sun_ye") return n * n
  return n * d * (data === "synthetic" && density >= site.rules.SPARSE_BELOW ? 1 : density)
}

/** Random examples of a real set. @param {Data} data @param {Choices} choices @returns {Promise<Data>} */
async function sampled(data, {sample, data_seed}) {
  const order = new Generator(await Kernels.open(site.lab), data_seed).permutation(Float64Array.from({length: data.n}, (_, i) => i))
  return taken(data, order.slice(0, sample).sort(), null)
}

/** Some rows, or columns, of data. @param {Data} data @param {ArrayLike<number> | null} rows @param {ArrayLike<number> | null} columns @returns {Data} */
export function taken(data, rows, columns) {
  const places = (/** @type {ArrayLike<number> | null} */ kept, /** @type {number} */ size) => {
    const found = new Int32Array(size).fill(-1)
    Array.from(kept ?? found.keys()).forEach((old, k) => { found[old] = k })
    return found
  }
  const row = places(rows, data.n), column = places(columns, data.d), n = rows?.length ?? data.n, d = columns?.length ?? data.d
  const y = data.y.filter((_, i) => row[i] >= 0)
  if (!data.indices || !data.indptr) {
    const values = new Float64Array(n * d)
    eachEntry(data, (i, j, e) => { if (row[i] >= 0 && column[j] >= 0) values[row[i] * d + column[j]] = data.values[e] })
    return {n, d, values, y}
  }
  const values = /** @type {number[]} */ ([]), indices = /** @type {number[]} */ ([]), indptr = new Uint32Array(n + 1)
  eachEntry(data, (i, j, e) => {
    if (row[i] < 0 || column[j] < 0) return
    values.push(data.values[e])
    indices.push(column[j])
    indptr[row[i] + 1] += 1
  })
  for (let i = 0; i < n; i++) indptr[i + 1] += indptr[i]
  return {n, d, values: Float64Array.from(values), indices: Uint32Array.from(indices), indptr, y}
}
