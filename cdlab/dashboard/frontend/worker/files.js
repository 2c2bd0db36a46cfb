/* A reader's own file: LIBSVM or CSV text, perhaps compressed. It never leaves the machine. */

import {readText} from "../wasm/index.js"
import {counted, told} from "./numbers.js"
import {files} from "./problems.js"
import {sentence} from "./refusals.js"
import {site} from "./site.js"

/** The choices that race on a file, or why it cannot be read. @param {File} file @returns {Promise<{value: Record<string, any>, words: string} | {error: string}>} */
export async function takeFile(file) {
  try {
    if (file.size > 1e6 * site.catalog.limits.upload) throw new Error(told("refusal.file", {size: file.size / 1e6, limit: site.catalog.limits.upload}))
    const format = await formatOf(file)
    if (format) throw new Error(told("refusal.format", {name: file.name, format}))
    const data = readText(await textOf(file), file.name), {column, how, classes = 0} = data.label ?? {column: "", how: "last"}, labels = new Set(data.y).size
    if (classes > 2) throw new Error(`${file.name} has ${classes} different words as labels, and two classes are separated here: keep the rows of two of them, or write labels as numbers`)
    if (classes === 1) throw new Error(told("refusal.one class", {name: file.name}))
    const largest = data.values.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
    if (!Number.isFinite(data.values.reduce((sum, x) => sum + x * x, 0) * Math.max(data.n, data.d))) throw new Error(told("refusal.size", {name: file.name, largest: largest.toExponential(2)}))
    const words = told(`label.${how}`, {name: file.name, examples: counted(data.n, "example"), columns: counted(data.d, "feature"), column: how === "last" && column ? `, ${column}` : column}) + (how === "last" ? " To take another column, name it y in the first line." : "")
    const upload = `${file.name}:${file.size}-${file.lastModified}`
    files.set(upload, {data, label: words})
    return {value: {data: "upload", upload, sample: 0, ...(classes ? {loss: "logistic"} : labels > 2 ? {loss: "squared"} : {})}, words}
  } catch (error) {
    return {error: sentence(error instanceof Error ? error.message : String(error))}
  }
}

/** What a file is that is no text; "" for text. @param {File} file */
async function formatOf(file) {
  const head = String.fromCharCode(...new Uint8Array(await file.slice(0, 16).arrayBuffer()))
  if (!head.startsWith("PK\x03\x04")) return site.rules.FORMATS[Object.keys(site.rules.FORMATS).find((start) => head.startsWith(start)) ?? ""] ?? ""
  const names = await file.text()
  return names.includes("xl/") ? "an Excel file" : names.includes(".npy") ? "an NPZ file" : "a ZIP archive"
}

/** @param {File} file */
const textOf = (file) => (file.name.endsWith(".gz") ? unpacked(file.stream()).text() : file.text())

/** What was compressed by gzip. @param {ReadableStream<Uint8Array<ArrayBuffer>> | null} stream */
export const unpacked = (stream) => new Response(/** @type {NonNullable<typeof stream>} */ (stream).pipeThrough(new DecompressionStream("gzip")))
