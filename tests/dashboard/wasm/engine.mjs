/* What the checks in node share: the built engine, and what Python asks. */

import fs from "node:fs"
import {load} from "../../../cdlab/dashboard/frontend/wasm/index.js"

const [folder, input] = process.argv.slice(2)
const read = (/** @type {string} */ file) => JSON.parse(fs.readFileSync(file, "utf8"))

export const lab = await load(fs.readFileSync(`${folder}/kernels.wasm`), read(`${folder}/kernels.json`))
export const theory = fs.existsSync(`${folder}/bounds.json`) ? read(`${folder}/bounds.json`) : null
export const cases = read(input)
