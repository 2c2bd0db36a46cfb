/* The seven questions of a page, answered one after another: a newer question of a kind cancels the older one. */

import {contestants, digestOf, isIndependent, read} from "./choices.js"
import {script} from "./code.js"
import {explain} from "./explaining.js"
import {told} from "./numbers.js"
import {predict} from "./predicting.js"
import {finished, stream} from "./racing.js"
import {sentence} from "./refusals.js"
import {site} from "./site.js"

/** @typedef {import("../src/schema").Question} Question @typedef {import("../src/schema").Answer} Answer @typedef {import("./racing").Race} Race */

const MOST_RACES = 6 // that `explain` need not run again

/** @param {(answer: Answer) => void} send */
export function answerer(send) {
  /** @type {Record<string, number>} */
  const latest = {}
  /** @type {Map<string, Race>} */
  const races = new Map()

  /** @param {Question} question */
  async function race({number, choices, draws}) {
    const events = stream(read(choices), draws)
    let last = null
    for (;;) {
      const {value, done} = await events.next()
      if (done) {
        if (value) keep(value)
        return
      }
      last = value
      if (latest.race !== number) break
      send({number, kind: "race", done: !!value.outcome || !!value.error, value, error: ""})
    }
    await events.return(null)
    if (latest.race === undefined) send({number, kind: "race", done: true, value: {...last, words: told("stopped")}, error: ""})
  }

  /** @param {Race} done */
  function keep(done) {
    races.set(digestOf(done.choices), done)
    for (const old of races.keys()) if (races.size > MOST_RACES) races.delete(old)
  }

  /** @param {Question} question @returns {Promise<Answer["value"]>} */
  async function answerTo({kind, choices: given, drawer}) {
    if (kind === "catalog") return site.catalog
    const choices = read(given)
    if (kind === "predict") return predict(choices)
    if (kind === "explain") return explain(races.get(digestOf(choices)) ?? (await finished(choices)))
    if (kind === "rates") return {digest: digestOf(choices), words: Object.fromEntries(contestants(choices).filter((entry) => entry.draws && !isIndependent(entry)).map(({label}) => [label, told("python.rate")])), passes: {}}
    if (kind === "facts" && drawer === "Code") return {digest: digestOf(choices), drawer, words: await script(choices), tables: []}
    throw new Error(told(kind === "advise" ? "python.advice" : "python.drawer", {drawer}))
  }

  /** @param {Question} question */
  return async (question) => {
    const {number, kind} = question
    if (kind === "stop") {
      if (latest.race === number) delete latest.race
      return
    }
    latest[kind] = number
    try {
      if (kind === "race") return await race(question)
      const value = await answerTo(question)
      if (latest[kind] === number) send({number, kind, done: true, value, error: ""})
    } catch (error) {
      send({number, kind, done: true, value: null, error: sentence(error instanceof Error ? error.message : String(error))})
    }
  }
}
