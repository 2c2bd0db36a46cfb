/* A reader's own file: LIBSVM or CSV text, perhaps compressed. It never leaves the machine. */

import {columnNames, readText} from "../wasm/index.js"
import {eachEntry} from "../wasm/making.js"
import {counted, number, told} from "./numbers.js"
import {files} from "./problems.js"
import {sentence} from "./refusals.js"
import {site} from "./site.js"

const UNITS_APART = 1e3 // columns of which one's entries are so many times another's are in different units

/**
 * The choices that race on a file, or why it cannot be read; and the columns of a table, of which one is its label.
 * @param {File} file @param {number | null} chosen  where the label stands, if the reader has said it
 * @returns {Promise<{value?: Record<string, any>, words?: string, error?: string, columns: string[], label: number | null}>}
 */
export async function takeFile(file, chosen) {
  let text = ""
  try {
    if (file.size > 1e6 * site.catalog.limits.upload) throw new Error(told("refusal.file", {size: file.size / 1e6, limit: site.catalog.limits.upload}))
    const format = await formatOf(file)
    if (format) throw new Error(told("refusal.format", {name: file.name, format}))
    text = await textOf(file)
    const data = readText(text, file.name, chosen), {column, how, classes = 0, names = [], at = 0} = data.label ?? {column: "", how: "last"}, labels = new Set(data.y).size
    if (classes > 2) throw new Error(`${file.name} has ${classes} different words as labels, and two classes are separated here: keep the rows of two of them, or write labels as numbers`)
    if (labels === 1 && data.n > 1) throw new Error(told("refusal.one label", {name: file.name, label: classes ? "the same word" : number(data.y[0])}))
    const largest = data.values.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
    if (!Number.isFinite(data.values.reduce((sum, x) => sum + x * x, 0) * Math.max(data.n, data.d))) throw new Error(told("refusal.size", {name: file.name, largest: largest.toExponential(2)}))
    if (largest === 0) throw new Error(told("refusal.zeros", {name: file.name}))
    if (data.n < 2) throw new Error(`${file.name} has just one example: a race needs two or more`)
    const words = [told(`label.${how}`, {name: file.name, examples: counted(data.n, "example"), columns: counted(data.d, "feature"), column: how === "last" && column ? `, ${column}` : column}), unitsOf(data, names.filter((_, k) => k !== at))].filter(Boolean).join(" ")
    const upload = `${file.name}:${file.size}-${file.lastModified}${chosen === null ? "" : `:${chosen}`}`
    files.set(upload, {data, label: words})
    return {value: {data: "upload", upload, sample: 0, ...(classes ? {loss: "logistic"} : labels > 2 ? {loss: "squared"} : {})}, words, columns: names, label: at}
  } catch (error) {
    return {error: sentence(error instanceof Error ? error.message : String(error)), columns: columnNames(text), label: chosen}
  }
}

/** What a file is that is no text; "" for text. @param {File} file */
async function formatOf(file) {
  const head = String.fromCharCode(...new Uint8Array(await file.slice(0, 16).arrayBuffer()))
  if (!head.startsWith("PK\x03\x04")) return site.rules.FORMATS[Object.keys(site.rules.FORMATS).find((start) => head.startsWith(start)) ?? ""] ?? ""
  const names = await file.text()
  return names.includes("xl/") ? "an Excel file" : names.includes(".npy") ? "an NPZ file" : "a ZIP archive"
}

/** Which columns are in very different units, by the root mean square of their entries; "" if none are. @param {import("../wasm/types").Data} data @param {string[]} names */
function unitsOf(data, names) {
  const top = new Float64Array(data.d), squares = new Float64Array(data.d), counts = new Float64Array(data.d)
  const eachValue = (/** @type {(j: number, size: number) => void} */ f) => eachEntry(data, (_, j, e) => { if (data.values[e] !== 0) f(j, Math.abs(data.values[e])) })
  eachValue((j, size) => { top[j] = Math.max(top[j], size) })
  eachValue((j, size) => { squares[j] += (size / top[j]) ** 2; counts[j] += 1 })
  const size = (/** @type {number} */ j) => top[j] * Math.sqrt(squares[j] / counts[j]), filled = [...counts.keys()].filter((j) => counts[j] > 0)
  if (!filled.length) return ""
  const large = filled.reduce((a, b) => (size(b) > size(a) ? b : a)), small = filled.reduce((a, b) => (size(b) < size(a) ? b : a))
  const nameOf = (/** @type {number} */ j) => names[j] ?? `feature ${j + 1}`
  return size(large) > UNITS_APART * size(small) ? told("label.units", {large: nameOf(large), small: nameOf(small), times: size(large) / size(small)}) : ""
}

/** @param {File} file */
const textOf = (file) => (file.name.endsWith(".gz") ? unpacked(file.stream()).text() : file.text())

/** What was compressed by gzip. @param {ReadableStream<Uint8Array<ArrayBuffer>> | null} stream */
export const unpacked = (stream) => new Response(/** @type {NonNullable<typeof stream>} */ (stream).pipeThrough(new DecompressionStream("gzip")))
