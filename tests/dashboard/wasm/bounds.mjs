/* Bounds, curves, refusals and constants in node, for each problem and question that Python asked. */

import {bounds, constants, curve, problem, refusal} from "../../../cdlab/dashboard/frontend/wasm/index.js"
import {dataOf} from "./comparing.mjs"
import {cases, lab, theory} from "./engine.mjs"

for (const {name, data, weights, questions} of cases) {
  const P = await problem(lab, dataOf(data), weights), {rows: _, columns: __, more, ...known} = constants(P)
  const answers = questions.map((/** @type {any} */ {method, sampling, on, batch, passes}) => {
    const answer = bounds(theory, P, method, sampling, {on, batch})
    return {value: answer.value, refused: answer.refused, curve: answer.bound ? curve(answer, passes) : null, refusal: refusal(theory, P, method, sampling)}
  })
  console.log(JSON.stringify({name, constants: {...known, ...more}, answers}))
}
