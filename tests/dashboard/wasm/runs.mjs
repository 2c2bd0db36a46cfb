/* Runs that JavaScript begins, draws and makes by itself, against Python's from the same data and seed: prints how far. */

import {linesOf} from "../../../cdlab/dashboard/frontend/wasm/drawing.js"
import {problem} from "../../../cdlab/dashboard/frontend/wasm/index.js"
import {METHODS} from "../../../cdlab/dashboard/frontend/wasm/methods.js"
import {epochs} from "../../../cdlab/dashboard/frontend/wasm/running.js"
import {apart, cases, dataOf, lab} from "./engine.mjs"

for (const {name, method: named, batch, sampling, seed, data, weights, records, state} of cases) {
  const P = await problem(lab, dataOf(data), weights), method = METHODS[named]
  const lines = method.lines ? method.lines(P, sampling) : linesOf(P, named, sampling, batch), made = epochs(P, method, sampling, lines, seed)
  let S = method.start(P, lines), values = 0, visits = 0
  for (const record of records) {
    const epoch = made.next().value
    S = method.epoch(P, S, epoch, lines)
    visits = Math.max(visits, Math.abs(method.visits(P, S, epoch, lines) - record.visits))
    P.memory.scratch(() => {
      const at = method.points(P, S)
      values = Math.max(values, apart([record.P], [P.primal(at)]), Math.abs(P.dual(at) - record.D) / Math.max(Math.abs(record.D), Math.abs(record.P)))
    })
  }
  const off = Object.entries(state).map(([path, wanted]) => {
    const found = path.split(".").reduce((at, field) => at[field], S.state ?? S)
    return [path, apart(wanted, found?.view ?? [found])]
  })
  console.log(JSON.stringify({name, values, visits, state: Object.fromEntries(off)}))
}
