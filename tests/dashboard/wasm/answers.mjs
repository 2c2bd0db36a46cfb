/* Answers of the page's engine in node, to the questions that Python asks: each a line. */

import fs from "node:fs"
import {answerer} from "../../../cdlab/dashboard/frontend/worker/answering.js"
import {takeFile} from "../../../cdlab/dashboard/frontend/worker/files.js"
import {site} from "../../../cdlab/dashboard/frontend/worker/site.js"
import {cases, lab, theory} from "./engine.mjs"

const [folder] = process.argv.slice(2)
Object.assign(site, JSON.parse(fs.readFileSync(`${folder}/page.json`, "utf8")), {lab, theory, read: async (/** @type {string} */ name) => fs.readFileSync(`${folder}/${name}`)})

/** The runs of a race so far, by label and draw. @type {Map<string, any>} */
let runs = new Map()
const answer = answerer(({value, ...each}) => {
  const event = /** @type {any} */ (value)
  for (const run of event?.runs ?? []) runs.set(`${run.label} ${run.draw}`, run)
  if (each.done) console.log(JSON.stringify({...each, value: each.kind === "race" ? {...event, runs: [...runs.values()]} : value}))
})

for (const [number, question] of cases.entries()) {
  runs = new Map()
  if (question.kind === "file") {
    const {name, text, label} = /** @type {any} */ (question)
    console.log(JSON.stringify({kind: "file", ...(await takeFile(new File([text], name), label))}))
    continue
  }
  await answer({choices: null, draws: 1, drawer: "", ...question, number})
}
