/* A run that JavaScript begins, draws and makes by itself, against Python's from the same data and seed. */

import {linesOf} from "../../../cdlab/dashboard/frontend/wasm/drawing.js"
import {problem} from "../../../cdlab/dashboard/frontend/wasm/index.js"
import {METHODS} from "../../../cdlab/dashboard/frontend/wasm/methods.js"
import {epochs} from "../../../cdlab/dashboard/frontend/wasm/running.js"

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
    off = Math.max(off, a === b ? 0 : Math.abs(a - b)) // NaN stays
  }
  return off / scale
}

/** How far values, visits and the last state are from Python's. @param {import("../../../cdlab/dashboard/frontend/wasm/types").Lab} lab @param {any} run */
export async function compared(lab, {name, method: named, batch, sampling, seed, data, weights, records, state}) {
  const P = await problem(lab, dataOf(data), weights), method = METHODS[named]
  const lines = method.lines ? method.lines(P, sampling) : linesOf(P, named, sampling, batch), made = epochs(P, method, sampling, lines, seed)
  let S = method.start(P, lines), values = 0, visits = 0
  for (const record of records) {
    const epoch = made.next().value
    S = method.epoch(P, S, epoch, lines)
    visits = Math.max(visits, Math.abs(method.visits(P, S, epoch, lines) - record.visits))
    P.memory.scratch(() => {
      const at = method.points(P, S), size = Math.max(Math.abs(record.D), Math.abs(record.P))
      values = Math.max(values, Math.abs(P.primal(at) - record.P) / size, Math.abs(P.certified(at).D - record.D) / size)
    })
  }
  const off = Object.entries(state).map(([path, wanted]) => {
    const found = path.split(".").reduce((at, field) => at[field], S.state ?? S)
    return [path, apart(wanted, found?.view ?? [found])]
  })
  return {name, values, visits, state: Object.fromEntries(off)}
}
