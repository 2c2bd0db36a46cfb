/* `race`: runs of each entry, all entries with one draw before the next; `engine/racing.py`. */

import {digestOf, drawsOf, entrants, targetOf} from "./choices.js"
import {Lane} from "./lanes.js"
import {sum, told} from "./numbers.js"
import {outcome} from "./outcomes.js"
import {prepared} from "./problems.js"
import {dataRefusal, entryRefusals, sentence} from "./refusals.js"
import {site} from "./site.js"

/** @typedef {import("./choices").Choices} Choices @typedef {import("../src/schema").RaceEvent} RaceEvent */
/** @typedef {{choices: Choices, about: import("./problems").Prepared, lanes: Lane[], outcome: import("../src/schema").Outcome}} Race */

/**
 * The events of a race; the last one has the outcome, or an error. It returns the race, or null.
 * @param {Choices} choices @param {number} draws @returns {AsyncGenerator<RaceEvent, Race | null>}
 */
export async function* stream(choices, draws) {
  const digest = digestOf(choices), piece = 1000 * site.rules.PIECE_SECONDS
  let lanes = /** @type {Lane[]} */ ([])
  try {
    lanes = await begin(choices, draws)
    const moved = /** @type {Set<Lane>} */ (new Set()), turns = [...lanes]
    for (let ends = performance.now() + piece; turns.length; ) {
      const lane = /** @type {Lane} */ (turns.shift())
      await lane.work(Math.min(ends, performance.now() + piece / 2))
      moved.add(lane)
      if (!lane.status) {
        const next = turns.findIndex(({seed}) => seed !== lane.seed)
        turns.splice(next < 0 ? turns.length : next, 0, lane) // behind the others of its draw
      }
      if (performance.now() > ends && turns.length) {
        yield event(digest, lanes, moved)
        moved.clear()
        ends = performance.now() + piece
      }
    }
    const found = outcome(lanes, targetOf(choices))
    yield {...event(digest, lanes, moved), outcome: found}
    return {choices, about: lanes[0].about, lanes, outcome: found}
  } catch (error) {
    yield {digest, runs: [], progress: 0, words: "", outcome: null, error: sentence(/** @type {Error} */ (error).message)}
    return null
  } finally {
    await Promise.all(lanes.map((lane) => lane.leave()))
  }
}

/** The lanes of a race, all entries with one draw before the next. @param {Choices} choices @param {number} draws */
async function begin(choices, draws) {
  const refusal = dataRefusal(choices)
  if (refusal) throw new Error(refusal.why)
  const about = await prepared(choices), refused = entryRefusals(choices), all = entrants(choices), entries = all.filter(({asked}) => !refused.some(({what}) => what === asked))
  if (!entries.length) throw new Error([...new Set(all.map(({asked}) => refused.find(({what}) => what === asked)?.why))].join(" "))
  const ends = {target: targetOf(choices), tol: choices.tol, limit: choices.passes}, seeds = drawsOf(choices, draws)
  return seeds.flatMap((seed) => entries.map((entry) => new Lane(entry, about, seed, seed === seeds[0], ends)))
}

/** A race, run to its end. @param {Choices} choices @param {number} [draws] @returns {Promise<Race>} */
export async function finished(choices, draws = choices.seeds) {
  for (const events = stream(choices, draws); ; ) {
    const {value, done} = await events.next()
    if (done && value) return value
    if (!done && value.error) throw new Error(value.error)
  }
}

/** @param {string} digest @param {Lane[]} lanes @param {Set<Lane>} moved @returns {RaceEvent} */
function event(digest, lanes, moved) {
  const begun = lanes.filter(({records}) => records.length), done = sum(begun.map(({spent}) => spent.passes)), expected = (sum(begun.map((lane) => lane.expected)) / Math.max(1, begun.length)) * lanes.length
  return {digest, runs: [...moved].map((lane) => lane.run), progress: expected ? Math.min(1, done / expected) : 1, words: told("racing", {done, expected: Math.max(done, expected)}), outcome: null, error: ""}
}
