/* The records of runs in node, each run a line. */

import {problem, run} from "../../../cdlab/dashboard/frontend/wasm/index.js"
import {dataOf} from "./comparing.mjs"
import {cases, lab} from "./engine.mjs"

for (const {method, data, weights, options} of cases) {
  const records = [], P = await problem(lab, dataOf(data), weights)
  for await (const {passes, P: primal, D, bestGap} of run(method, P, options)) records.push({passes, P: primal, D, bestGap})
  console.log(JSON.stringify(records))
}
