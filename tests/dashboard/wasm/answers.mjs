/* Answers of the page's engine in node, to the questions that Python asks: each a line. */

import fs from "node:fs"
import {answerer} from "../../../cdlab/dashboard/frontend/worker/answering.js"
import {site} from "../../../cdlab/dashboard/frontend/worker/site.js"
import {cases, lab, theory} from "./engine.mjs"

const [folder] = process.argv.slice(2)
Object.assign(site, JSON.parse(fs.readFileSync(`${folder}/page.json`, "utf8")), {lab, theory, read: async (/** @type {string} */ name) => fs.readFileSync(`${folder}/${name}`)})

const answer = answerer((each) => {
  if (each.error) console.log(JSON.stringify(each))
  else if (each.done) console.log(JSON.stringify(last ? {...each, value: {.../** @type {any} */ (each.value), runs: [...last.values()]}} : each))
  if (each.kind === "race" && !each.done) keep(each)
})
/** The runs of a race so far, by label and draw. @type {Map<string, any> | null} */
let last = null
const keep = (/** @type {any} */ {value}) => { for (const run of value.runs) last?.set(`${run.label} ${run.draw}`, run) }

for (const [number, question] of cases.entries()) {
  last = question.kind === "race" ? new Map() : null
  await answer({choices: null, draws: 1, drawer: "", ...question, number})
}
