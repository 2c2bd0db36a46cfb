// A file of data: rows of columns and values, and labels; and the numbers of the problem that a certificate makes of them.
import {sha256} from "@noble/hashes/sha2.js"
import {bytesToHex} from "@noble/hashes/utils.js"
import {unzipSync} from "fflate"
import {floats, number, require, unpacked} from "./certificate.js"

/** @typedef {{columns: number[], values: number[]}} Row */
/** @typedef {{rows: Row[], labels: any[]}} Data */
/** @typedef {{name: string, bytes: Uint8Array<ArrayBuffer>}} Named  a file */

export const MOST = 2e6 // nonzeros: seconds of arithmetic, in a page that has to answer
const MOST_BYTES = 4e8 // of a file, unpacked

/** NPZ, NPY with labels in another file, CSV or TSV, or LIBSVM text. @param {Named} file @param {Named | null} labels @param {any} about @returns {Promise<Data>} */
export async function readData({name, bytes}, labels, about) {
  if (/\.np[yz]$/.test(name)) return arrays({name, bytes}, labels, about.rows)
  require(!/\.(bz2|xz)$/.test(name), `${name} is unpacked first: a page cannot read bz2 and xz, and checker.py can`)
  const raw = name.endsWith(".gz") ? await unpacked(bytes, "gzip", MOST_BYTES) : bytes
  require(raw, `${name} is at most ${MOST_BYTES / 1e6} MB`)
  const lines = new TextDecoder("utf-8", {fatal: true}).decode(raw).split(/\r\n|\r|\n/)
  return /\.[ct]sv(\.gz)?$/.test(name) ? table(lines, about.label_column) : libsvm(lines)
}

/** A label and column:value pairs a line; columns count from 1, or from 0 where one is 0. @param {string[]} lines @returns {Data} */
function libsvm(lines) {
  const words = lines.map((line) => line.split("#")[0].trim().split(/\s+/)).filter(([label]) => label)
  const pairs = words.map((line) => line.slice(1).filter((pair) => !pair.startsWith("qid:")).map((pair) => pair.split(":")))
  require(pairs.flat().every((pair) => pair.length === 2), "each line is a label and pairs column:value")
  const columns = pairs.map((line) => line.map(([column]) => whole(column)))
  const first = columns.some((each) => each[0] === 0) ? 0 : 1
  const rows = pairs.map((line, i) => ({columns: columns[i].map((j) => j - first), values: line.map(([, value]) => float(value))}))
  return {rows, labels: words.map(([label]) => label)}
}

/** Numbers, with or without a header; one column is the label. @param {string[]} lines @param {unknown} position @returns {Data} */
function table(lines, position) {
  require(typeof position === "bigint", "the certificate says which column of a table is the label")
  const delimiter = [..."\t;,"].find((each) => lines[0].includes(each)) ?? " "
  const cells = lines.filter(Boolean).map((line) => split(line, delimiter))
  const labels = cells.map((row) => row.splice(Number(position), 1)[0]?.trim())
  const begin = cells[0]?.every(isFloat) ? 0 : 1 // after a header
  return {rows: cells.slice(begin).map((row) => nonzeros(row.map(float))), labels: labels.slice(begin)}
}

/** The cells of a line, some in quotes. @param {string} line @param {string} delimiter */
const split = (line, delimiter) =>
  !line.includes('"') ? line.split(delimiter)
    : [...`${line}${delimiter}`.matchAll(new RegExp(`(?:"((?:[^"]|"")*)"|([^${delimiter}]*))${delimiter}`, "g"))].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain)

/** X and y, or data, indices, indptr and y of scipy's CSR format; is_test tells train from test. @param {Named} file @param {Named | null} labels @param {unknown} wanted @returns {Data} */
function arrays({name, bytes}, labels, wanted) {
  /** @type {Record<string, ReturnType<typeof npy>>} */
  const found = {}
  if (name.endsWith(".npz")) for (const [each, raw] of Object.entries(unzipSync(bytes))) found[each.replace(/\.npy$/, "")] = npy(raw)
  else {
    require(labels, `the labels of ${name} are in another NPY file: choose it, too`)
    Object.assign(found, {X: npy(bytes), y: npy(labels.bytes)})
  }
  const {X, y, data, indices, indptr, is_test: isTest} = found
  require(y && (X || (data && indices && indptr)), `${name} holds X and y, or data, indices, indptr and y`)
  const rows = X ? y.flat.map((_, i) => nonzeros(X.flat.slice(i * X.shape[1], (i + 1) * X.shape[1])))
    : indptr.flat.slice(1).map((end, i) => ({columns: indices.flat.slice(indptr.flat[i], end), values: data.flat.slice(indptr.flat[i], end)}))
  require(!X || X.shape[0] === rows.length, "there is a label for each row")
  const kept = [...rows.keys()].filter((i) => wanted === "all" || !!(isTest ? isTest.flat[i] : wanted === "test") === (wanted === "test"))
  return {rows: kept.map((i) => rows[i]), labels: kept.map((i) => y.flat[i])}
}

const KINDS = {f8: Float64Array, f4: Float32Array, i8: BigInt64Array, i4: Int32Array, i2: Int16Array, i1: Int8Array, u4: Uint32Array, u1: Uint8Array, b1: Uint8Array}

/** The entries of an array in NumPy's format, row by row, and its shape. @param {Uint8Array} raw @returns {{flat: any[], shape: number[]}} */
function npy(raw) {
  require(raw.length > 12 && raw[0] === 0x93, "arrays are in NumPy's format")
  const view = new DataView(raw.buffer, raw.byteOffset)
  const [start, size] = raw[6] === 1 ? [10, view.getUint16(8, true)] : [12, view.getUint32(8, true)]
  const about = new TextDecoder("latin1").decode(raw.slice(start, start + size))
  const [, kind] = about.match(/'descr': '[<|=](\w+)'/) ?? ["", ""]
  const shape = (about.match(/'shape': \(([\d, ]*)\)/)?.[1].match(/\d+/g) ?? []).map(Number)
  const body = raw.slice(start + size).buffer
  if (kind[0] === "U") {
    const length = Number(kind.slice(1))
    const codes = [...new Uint32Array(body)]
    return {flat: Array.from({length: shape[0]}, (_, k) => String.fromCodePoint(...codes.slice(k * length, (k + 1) * length)).replace(/\0+$/, "")), shape}
  }
  const Kind = KINDS[/** @type {keyof typeof KINDS} */ (kind)]
  require(Kind, "arrays hold numbers or words")
  const flat = Array.from(new Kind(body), Number)
  if (!about.includes("'fortran_order': True") || shape.length !== 2) return {flat, shape}
  return {flat: flat.map((_, at) => flat[Math.floor(at / shape[1]) + (at % shape[1]) * shape[0]]), shape}
}

/** The columns and the values that are not zero. @param {number[]} row @returns {Row} */
const nonzeros = (row) => {
  const columns = [...row.keys()].filter((j) => row[j] !== 0)
  return {columns, values: columns.map((j) => row[j])}
}

const NUMBER = /^\s*[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[+-]?\d+(_\d+)*)?\s*$/i // as Python has it
/** @param {string} text */
const isFloat = (text) => NUMBER.test(text) || /^\s*[+-]?(nan|inf|infinity)\s*$/i.test(text)
/** @param {any} text @returns {number} */
function float(text) {
  if (typeof text === "number") return text
  require(isFloat(text), `${text} is a number`)
  return Number(text.replaceAll("_", ""))
}
/** @param {string} text */
function whole(text) {
  require(/^\s*[+-]?\d+(_\d+)*\s*$/.test(text), `the column ${text} is a whole number`)
  return Number(text.replaceAll("_", ""))
}

/**
 * The rows and the numbers y of the problem: labels become numbers, values are scaled, zeros left out. What is left must
 * have the digest that the certificate names: so these are its data, in whatever file they come.
 * @param {Data} data @param {any} about @returns {Promise<{rows: Row[], y: number[]}>}
 */
export async function prepare({rows, labels}, about) {
  const [n, d] = [rows.length, Number(about.features)]
  require(typeof about.features === "bigint" && n > 0 && n === Number(about.examples) && n === labels.length, `the data have ${about.examples} examples`)
  const of = new Map((about.labels ?? []).map((/** @type {[any, any]} */ [label, y]) => [typeof label === "string" ? label : Number(label), Number(y)]))
  const known = labels.map((label) => (of.has(label) ? label : float(label)))
  require(of.size === 0 || known.every((label) => of.has(label)), "every label of the data is among those of the certificate")
  const y = known.map((label) => (of.get(label) ?? label) + 0)
  const given = about.scale === null ? 1 : about.scale
  const scale = typeof given === "string" ? await floats("scale", given, n) : new Float64Array(n).fill(number("scale", given))
  require(scale.every((each) => each > 0) && y.every(Number.isFinite), "labels are finite, and scales are > 0")
  const kept = rows.map(({columns, values}, i) => {
    require(columns.every((j, k) => j > (k ? columns[k - 1] : -1) && j < d), `the columns of example ${i + 1} rise, from 1 to at most ${d}`)
    const scaled = values.map((x) => x / scale[i])
    require(scaled.every(Number.isFinite), `example ${i + 1} holds finite numbers`)
    return {columns: columns.filter((_, k) => scaled[k] !== 0), values: scaled.filter((x) => x !== 0)}
  })
  const ends = [0]
  for (const {columns} of kept) ends.push(ends[ends.length - 1] + columns.length)
  require(ends[n] <= MOST, `the data have at most ${MOST / 1e6} million nonzeros, as they are checked in a page: checker.py takes more`)
  const digest = sha256.create().update(new TextEncoder().encode(`${n} ${d}\n`))
  for (const whole of [ends, kept.flatMap((row) => row.columns)]) digest.update(new Uint8Array(BigInt64Array.from(whole, BigInt).buffer))
  for (const numbers of [kept.flatMap((row) => row.values), y]) digest.update(new Uint8Array(Float64Array.from(numbers).buffer))
  require(bytesToHex(digest.digest()) === about.sha256, "the data are those of the certificate: SHA-256 of their numbers")
  return {rows: kept, y}
}
