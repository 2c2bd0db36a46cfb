/* Data made and read in node against Python's: prints how far. */

import {make, preset, readText, scaled, toLibsvm} from "../../../cdlab/dashboard/frontend/wasm/index.js"
import {apart, dataOf} from "./comparing.mjs"
import {cases, lab} from "./engine.mjs"

for (const {name, generator, given, scale, file, text, data} of cases) {
  const wanted = dataOf(data), found = generator ? scaled(await make(lab, generator, given), scale) : file ? preset(file) : readText(text, name)
  const same = found.n === wanted.n && found.d === wanted.d && String(found.indices) === String(wanted.indices) && String(found.indptr) === String(wanted.indptr)
  const again = readText(toLibsvm(found), name)
  console.log(JSON.stringify({name, same, values: apart(wanted.values, found.values), y: apart(wanted.y, found.y), written: again.n === found.n && apart(found.y, again.y) === 0}))
}
