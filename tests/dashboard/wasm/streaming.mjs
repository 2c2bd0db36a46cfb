/* A run as the page takes it: records as they come, two runs beside each other, and a sentence for what is not there. */

import {make, problem, run, scaled} from "../../../cdlab/dashboard/frontend/wasm/index.js"
import {lab} from "./engine.mjs"

const data = scaled(await make(lab, "synthetic", {n: 300, d: 60, density: 0.05, seed: 0}), "mean"), P = await problem(lab, data, {loss: "smooth_hinge", l2: 1e-2})
const options = {target: 1e-6, seed: 1}, records = []
let end
for (const one = run("sdca", P, options), other = run("rcd", P, options); !end; ) {
  const {value, done} = await one.next()
  await other.next()
  if (done) end = value
  else records.push(value)
}
const again = run("sdca", P, options)
let repeated
do repeated = await again.next()
while (!repeated.done)
const unknown = await problem(lab, data, {loss: "poisson", l2: 1}).catch((/** @type {Error} */ error) => error.message)
console.log(JSON.stringify({
  .../** @type {any} */ (end), repeated: repeated.value.passes, updates: records.flatMap(({updates}) => updates), moments: records.length,
  falls: records.every(({bestGap}, k) => k === 0 || bestGap <= records[k - 1].bestGap), unknown,
}))
