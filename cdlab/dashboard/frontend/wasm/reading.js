/* Data that come as they are: presets, a reader's own files, and what was made as a file for Python. */

import {eachEntry, stacked} from "./making.js"
import {sum} from "./sums.js"

/** @typedef {import("./types").Data} Data @typedef {import("./types").PackedArray} PackedArray */

const MOST_NONZEROS = 1e6
const LABEL_NAMES = ["y", "label", "target", "class"]
const FORM = "each line must be 'label index:value index:value ...', with numbers"

/** @type {Record<string, any>} */
const ARRAYS = {float64: Float64Array, float32: Float32Array, uint32: Uint32Array, uint16: Uint16Array, uint8: Uint8Array, int8: Int8Array}

/** @param {PackedArray} packed @returns {any} */
function unpacked({dtype, bytes}) {
  return new ARRAYS[dtype](Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)).buffer)
}

/** @param {import("./types").PresetFile} file @returns {Data} */
export function preset({n, d, values, indices, lengths, y}) {
  const plain = {n, d, values: Float64Array.from(unpacked(values)), y: Float64Array.from(unpacked(y))}
  if (!indices || !lengths) return plain
  const indptr = new Uint32Array(n + 1)
  unpacked(lengths).forEach((/** @type {number} */ length, /** @type {number} */ i) => { indptr[i + 1] = indptr[i] + length })
  return {...plain, indices: Uint32Array.from(unpacked(indices)), indptr}
}

/** X with other row norms: divided by their mean, each 1, or as they are; `datasets.scaled`. @param {Data} data @param {"mean" | "unit" | "none"} scale @returns {Data} */
export function scaled(data, scale) {
  if (scale === "none") return data
  const largest = new Float64Array(data.n), squares = new Float64Array(data.n), values = data.values.slice()
  eachEntry(data, (i, _, e) => { largest[i] = Math.max(largest[i], Math.abs(values[e])) })
  eachEntry(data, (i, _, e) => { squares[i] += (values[e] / (largest[i] || 1)) ** 2 })
  const norms = largest.map((x, i) => x * Math.sqrt(squares[i])), mean = sum(norms.map((x) => x / data.n)) || 1
  eachEntry(data, (i, _, e) => { values[e] /= scale === "mean" ? mean : norms[i] || 1 })
  return {...data, values}
}

// ------------------------------------------------------------ text
/** LIBSVM or CSV; an Error says what is wrong, and in which line. @param {string} text @param {string} name @param {number | null} [at]  where a table's label stands @returns {Data} */
export function readText(text, name, at = null) {
  const lines = text.split(/\r\n|\n|\r/), first = lines.find((line) => line.split("#")[0].trim())
  if (first === undefined) throw new Error(`${name} is empty`)
  if (text.includes("\0")) throw new Error(`${name} is no text: save a spreadsheet as CSV, and take numbers and labels in CSV or LIBSVM text`)
  return /^\s*\S+(\s+\S+:\S+)+\s*(#.*)?$/.test(first) || /^\s*[-+.\deE]+\s*(#.*)?$/.test(first) ? libsvm(lines, name) : table(lines, name, at)
}

/** @param {string[]} lines @param {string} name @returns {Data} */
function libsvm(lines, name) {
  const rows = /** @type {{j: number, value: number}[][]} */ ([]), y = /** @type {number[]} */ ([])
  let nonzeros = 0, least = 1, most = -1
  lines.forEach((line, number) => {
    const [label, ...pairs] = line.split("#")[0].trim().split(/\s+/)
    if (label === "") return
    const wrong = (/** @type {string} */ why) => { throw new Error(`${name}, line ${number + 1}: ${why}; ${FORM}`) }
    if (!isNumber(label)) wrong(label.includes(":") ? `the label is missing (the line starts with '${label}')` : `the label '${label}' is not a number`)
    let before = -1
    const row = (pairs[0]?.startsWith("qid:") ? pairs.slice(1) : pairs).map((pair) => {
      const [index, value] = pair.split(":"), j = Number(index)
      if (value === undefined) wrong(`'${pair}' is not an index:value pair`)
      if (!(/^\d+$/.test(index) && j < 2 ** 31)) wrong(`the index '${index}' of '${pair}' is not a whole number from 0`)
      if (j <= before) wrong(`the index of '${pair}' does not rise after ${before}`)
      if (!isNumber(value)) wrong(`the value '${value}' of '${pair}' is not a number`)
      before = j
      return {j, value: Number(value)}
    }).filter(({value}) => value !== 0)
    if (pairs.some((pair) => pair.startsWith("0:"))) least = 0
    most = Math.max(most, before)
    nonzeros += row.length
    checkSize(nonzeros, name)
    rows.push(row)
    y.push(Number(label))
  })
  if (most < 0) throw new Error(`${name} holds labels but no index:value pairs`)
  for (const row of rows) for (const entry of row) entry.j -= least
  return {...stacked(rows, most + 1 - least), y: Float64Array.from(y), label: {column: "", how: "first"}}
}

/** What separates the columns of a table. @param {string} line */
const between = (line) => ["\t", ";", ","].find((each) => line.includes(each)) ?? /\s+/
/** @param {string} line @param {string | RegExp} mark */
const cellsOf = (line, mark) => line.trim().split(mark).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"))
const hasNames = (/** @type {string[]} */ row, at = row.length - 1) => row.some((cell, k) => k !== at && !isNumber(cell))

/** The names of a table's columns, or "column 1" and so on; [] of what is none. @param {string} text */
export function columnNames(text) {
  const [first, second] = text.split(/\r\n|\n|\r/).filter((line) => line.trim()), row = cellsOf(first ?? "", between(first ?? ""))
  if (!second || row.length < 2 || /\S:\S/.test(second)) return []
  return hasNames(row) ? row : row.map((_, k) => `column ${k + 1}`)
}

/** Numbers between commas, semicolons, tabs or spaces, with or without a line of names. The column called y, label, target or class is y, else the last; it may hold words. @param {string[]} lines @param {string} name @param {number | null} chosen @returns {Data} */
function table(lines, name, chosen) {
  const kept = lines.map((line, k) => ({line, number: k + 1})).filter(({line}) => line.trim()), mark = between(kept[0].line)
  const cells = kept.map(({line, number}) => ({number, row: cellsOf(line, mark)})), head = hasNames(cells[0].row, chosen ?? undefined) ? cells[0].row : null
  if (head?.some(isNumber) && !head.some((cell) => LABEL_NAMES.includes(cell.toLowerCase()))) throw new Error(`${name}: its first line mixes numbers and words; is it a header or an example? A header names every column by a word; an example holds numbers, and its label at the end or in the column that is chosen`)
  if (head) cells.shift()
  if (cells.length === 0) throw new Error(`${name} has names of columns and no rows`)
  const width = cells[0].row.length, named = head?.findIndex((cell) => LABEL_NAMES.includes(cell.toLowerCase())) ?? -1, at = chosen ?? (named < 0 ? width - 1 : named)
  if (width < 2) throw new Error(`${name}, line ${cells[0].number}: there is one column; a table needs features and a label`)
  checkSize(cells.length * (width - 1), name)
  const values = new Float64Array(cells.length * (width - 1)), words = isNumber(cells[0].row[at]) ? null : [...new Set(cells.map(({row}) => row[at]))].sort(), y = new Float64Array(cells.length)
  for (const [i, {number, row}] of cells.entries()) {
    if (row.length !== width) throw new Error(`${name}, line ${number}: ${row.length} values, where the first line has ${width}; every line needs as many`)
    const strange = row.findIndex((cell, j) => !isNumber(cell) && !(words && j === at))
    if (strange >= 0) throw new Error(`${name}, line ${number}, column ${head?.[strange] ?? strange + 1}: '${row[strange]}' is not a number; ${/^[-+]?\d+,\d*$/.test(row[strange]) ? "write decimals with a point" : "encode words as numbers (labels as -1 and 1) and fill in missing values"}`)
    row.forEach((cell, j) => { if (j !== at) values[i * (width - 1) + j - (j > at ? 1 : 0)] = Number(cell) })
    y[i] = words ? words.indexOf(row[at]) : Number(row[at])
  }
  return {n: cells.length, d: width - 1, values, y, label: {column: head?.[at] ?? String(at + 1), how: chosen !== null ? "chosen" : named < 0 ? "last" : "named", classes: words?.length ?? 0, names: head ?? cells[0].row.map((_, k) => `column ${k + 1}`), at}}
}

/** @param {string} text */
function isNumber(text) {
  return text !== "" && Number.isFinite(Number(text))
}

/** @param {number} entries @param {string} name */
function checkSize(entries, name) {
  if (entries > MOST_NONZEROS) throw new Error(`${name} has more than ${MOST_NONZEROS.toLocaleString("en")} values, the most that this page takes: use fewer rows, or cdlab itself`)
}

/** The data as LIBSVM text, digit by digit what Python reads. @param {Data} data */
export function toLibsvm(data) {
  const rows = Array.from(data.y, (label) => [String(label)])
  eachEntry(data, (i, j, e) => { if (data.values[e] !== 0) rows[i].push(`${j + 1}:${data.values[e]}`) })
  return `${rows.map((row) => row.join(" ")).join("\n")}\n`
}
