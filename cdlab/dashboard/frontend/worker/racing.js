/* `race`: runs of each entry, all entries with one draw before the next; `engine/racing.py`. */

import {digestOf, drawsOf, contestants, targetOf} from "./choices.js"
import {RunView} from "./run_views.js"
import {sum, told} from "./numbers.js"
import {outcome} from "./outcomes.js"
import {prepared} from "./problems.js"
import {dataRefusal, entryRefusals, sentence} from "./refusals.js"
import {site} from "./site.js"

/** @typedef {import("./choices").Choices} Choices @typedef {import("../src/schema").RaceEvent} RaceEvent */
/** @typedef {{choices: Choices, about: import("./problems").Prepared, views: RunView[], outcome: import("../src/schema").Outcome}} Race */

/**
 * The events of a race; the last one has the outcome, or an error. It returns the race, or null.
 * @param {Choices} choices @param {number} draws @returns {AsyncGenerator<RaceEvent, Race | null>}
 */
export async function* stream(choices, draws) {
  const digest = digestOf(choices), piece = 1000 * site.rules.PIECE_SECONDS
  let views = /** @type {RunView[]} */ ([])
  try {
    views = await begin(choices, draws)
    const moved = /** @type {Set<RunView>} */ (new Set()), turns = [...views]
    for (let ends = performance.now() + piece; turns.length; ) {
      const view = /** @type {RunView} */ (turns.shift())
      await view.work(Math.min(ends, performance.now() + piece / 2))
      moved.add(view)
      if (!view.status) {
        const next = turns.findIndex(({seed}) => seed !== view.seed)
        turns.splice(next < 0 ? turns.length : next, 0, view) // behind the others of its draw
      }
      if (performance.now() > ends && turns.length) {
        yield event(digest, views, moved)
        moved.clear()
        ends = performance.now() + piece
      }
    }
    const found = outcome(views, targetOf(choices))
    yield {...event(digest, views, moved), outcome: found}
    return {choices, about: views[0].about, views, outcome: found}
  } catch (error) {
    yield {digest, runs: [], progress: 0, words: "", outcome: null, error: sentence(/** @type {Error} */ (error).message)}
    return null
  } finally {
    await Promise.all(views.map((view) => view.leave()))
  }
}

/** The views of a race, all entries with one draw before the next. @param {Choices} choices @param {number} draws */
async function begin(choices, draws) {
  const refusal = dataRefusal(choices)
  if (refusal) throw new Error(refusal.why)
  const about = await prepared(choices), refused = entryRefusals(choices), all = contestants(choices), entries = all.filter(({asked}) => !refused.some(({what}) => what === asked))
  if (!entries.length) throw new Error([...new Set(all.map(({asked}) => refused.find(({what}) => what === asked)?.why))].join(" "))
  const ends = {target: targetOf(choices), tol: choices.tol, limit: choices.passes}, seeds = drawsOf(choices, draws)
  return seeds.flatMap((seed) => entries.map((entry) => new RunView(entry, about, seed, seed === seeds[0], ends)))
}

/** A race, run to its end. @param {Choices} choices @param {number} [draws] @returns {Promise<Race>} */
export async function finished(choices, draws = choices.seeds) {
  for (const events = stream(choices, draws); ; ) {
    const {value, done} = await events.next()
    if (done && value) return value
    if (!done && value.error) throw new Error(value.error)
  }
}

/** @param {string} digest @param {RunView[]} views @param {Set<RunView>} moved @returns {RaceEvent} */
function event(digest, views, moved) {
  const begun = views.filter(({records}) => records.length), done = sum(begun.map(({spent}) => spent.passes)), expected = (sum(begun.map((view) => view.expected)) / Math.max(1, begun.length)) * views.length
  return {digest, runs: [...moved].map((view) => view.run), progress: expected ? Math.min(1, done / expected) : 1, words: told("racing", {done, expected: Math.max(done, expected)}), outcome: null, error: ""}
}
