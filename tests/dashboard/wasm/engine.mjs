/* What the checks share: the built engine, and how far two lists of numbers are apart. */

import fs from "node:fs"
import {load} from "../../../cdlab/dashboard/frontend/wasm/index.js"

const [folder, input] = process.argv.slice(2)
const read = (/** @type {string} */ file) => JSON.parse(fs.readFileSync(file, "utf8"))

export const lab = await load(fs.readFileSync(`${folder}/kernels.wasm`), read(`${folder}/kernels.json`))
export const theory = fs.existsSync(`${folder}/bounds.json`) ? read(`${folder}/bounds.json`) : null
export const cases = input ? read(input) : []

/** Lists as typed arrays. @param {any} data @returns {import("../../../cdlab/dashboard/frontend/wasm/types").Data} */
export function dataOf({values, indices, indptr, y, ...sizes}) {
  const sparse = indices ? {indices: Uint32Array.from(indices), indptr: Uint32Array.from(indptr)} : {}
  return {...sizes, values: Float64Array.from(values), y: Float64Array.from(y), ...sparse}
}

/** The largest difference by the largest entry; NaN if one is not a number. @param {ArrayLike<any>} wanted @param {ArrayLike<any>} found */
export function apart(wanted, found) {
  if (wanted.length !== found.length) return NaN
  let scale = 1e-300, off = 0
  for (let k = 0; k < wanted.length; k++) {
    const [a, b] = [Number(wanted[k]), Number(found[k])]
    scale = Math.max(scale, Math.abs(a))
    off = Number.isNaN(b) ? NaN : Math.max(off, a === b ? 0 : Math.abs(a - b))
  }
  return off / scale
}
