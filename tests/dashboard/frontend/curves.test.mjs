import assert from "node:assert/strict"
import {readFileSync} from "node:fs"
import {test} from "node:test"
import {aheadOf, cut, endOf, gapAt, leadOf, seriesOf, stepsAt, verdict} from "../../../cdlab/dashboard/frontend/src/curves.js"
import {passes, times} from "../../../cdlab/dashboard/frontend/src/words.js"

const recordings = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url)))
const [early, last] = recordings.find(({question}) => question.kind === "race").answers.map(({value}) => value)

test("a race is drawn by its medians, while it runs by its first draw", () => {
  const done = seriesOf({runs: last.runs, outcome: last.outcome})
  assert.deepEqual(done.map((each) => each.label), ["rcd", "sdca"])
  for (const [k, each] of done.entries()) {
    assert.equal(each.reached, last.outcome.results[k].reached)
    assert.ok(Math.abs(gapAt(each, each.reached) / 1e-6 - 1) < 0.05)
    assert.ok(each.x.every((x, i) => i === 0 || x >= each.x[i - 1]))
  }
  assert.equal(endOf(done), last.outcome.results[0].reached)
  assert.deepEqual(seriesOf({runs: early.runs, outcome: null}).map((each) => each.reached), early.runs.map((run) => run.reached))
})

test("the curve up to the playhead ends at the playhead, on the curve", () => {
  const [rcd] = seriesOf({runs: last.runs, outcome: last.outcome})
  const part = cut(rcd, 10)
  assert.equal(part.x.at(-1), 10)
  assert.equal(part.gap.at(-1), gapAt(rcd, 10))
  assert.equal(cut(rcd, null), rcd)
  assert.ok(stepsAt(rcd, 10) > stepsAt(rcd, 1))
  assert.deepEqual(rcd.run.updates.map(({passes}) => stepsAt(rcd, passes)).slice(0, 5), [1, 2, 3, 4, 5])
})

test("the gap hardly falls within the first thousandth of a pass, and a run that gives up is drawn to its end", () => {
  assert.ok(gapAt({x: [0, 0.01, 1], gap: [1, 0.8, 0.1]}, 0.001) > 0.97)
  const results = last.outcome.results.map((each) => (each.label === "rcd" ? {...each, reached: null, last_passes: 50, last_gap: 1e-3, median: each.median.map((x) => (x < 50 ? x : null))} : each))
  const [rcd] = seriesOf({runs: last.runs, outcome: {...last.outcome, results}})
  assert.deepEqual([rcd.x.at(-1), rcd.gap.at(-1)], [50, 1e-3])
})

test("rounds are drawn where a story asks for them", () => {
  const rounds = seriesOf({runs: last.runs, outcome: last.outcome}, "iterations")
  for (const [k, each] of rounds.entries()) assert.equal(each.reached, last.outcome.results[k].iterations)
  assert.ok(leadOf(last.outcome, "iterations").lead >= 1)
})

test("the lead is the quotient of the passes, and so of what is shown of them but for its last digit", () => {
  const outcome = {winner: "a", loser: "b", lead: 6.702, results: [{label: "a", reached: 21.4, iterations: 100}, {label: "b", reached: 143.4, iterations: 70}]}
  assert.deepEqual([passes(143.4), passes(21.4)], ["143", "21.4"])
  assert.equal(leadOf(outcome, "passes").lead, 143.4 / 21.4)
  assert.equal(times(leadOf(outcome, "passes").lead), times(143 / 21.4))
})

test("a guess is judged in the unit of the question", () => {
  const results = [{label: "one", reached: 63, iterations: 62400}, {label: "many", reached: 148, iterations: 4620}]
  const outcome = {winner: "one", loser: "many", lead: 2.3, at_least: false, results}
  assert.equal(verdict("one", outcome), "right")
  assert.equal(verdict("many", outcome, "iterations"), "right")
  assert.equal(verdict("one", outcome, "iterations"), "wrong")
})

test("a guess is right, wrong, or open", () => {
  const outcome = (values) => ({winner: "sdca", loser: "rcd", lead: 4.8, at_least: false, results: [{label: "sdca", reached: 2}, {label: "rcd", reached: 9}], ...values})
  assert.equal(verdict("sdca", outcome({})), "right")
  assert.equal(verdict("rcd", outcome({})), "wrong")
  assert.equal(verdict("even", outcome({})), "wrong")
  assert.equal(verdict("even", outcome({winner: null, lead: 1.1})), "right")
  assert.equal(verdict("sdca", outcome({winner: null, lead: 1.1})), "wrong")
  assert.equal(verdict("sdca", outcome({lead: 1.1, at_least: true})), "open")
  assert.equal(verdict("sdca", outcome({winner: null, lead: null})), "open")
  const alone = {winner: null, lead: null, results: [{label: "sdca", reached: 2}]} // the other cannot run
  assert.deepEqual(["sdca", "rcd"].map((guess) => verdict(guess, outcome(alone))), ["right", "wrong"])
})

test("whoever is at the target from the start has won, by no number", () => {
  const results = [{label: "rcd", reached: 0, iterations: 0}, {label: "sdca", reached: 9, iterations: 90}]
  const outcome = {winner: "rcd", loser: "sdca", lead: null, at_least: false, results}
  for (const axis of ["passes", "iterations"]) {
    assert.deepEqual([leadOf(outcome, axis).winner, leadOf(outcome, axis).lead], ["rcd", null])
    assert.deepEqual(["rcd", "even", "sdca"].map((guess) => verdict(guess, outcome, axis)), ["right", "wrong", "wrong"])
  }
})

test("of a race that nobody ended, whoever needs fewer passes at this pace is ahead", () => {
  const ended = (...gaps) => ({results: gaps.map((last_gap, k) => ({label: "ab"[k], reached: last_gap <= 1e-6 ? 9 : null, last_gap}))})
  assert.equal(aheadOf(ended(7e-4, 0.61)), "a")
  assert.equal(aheadOf(ended(1, 0.5)), "b")
  for (const gaps of [[1e-3, 1.2e-3], [1, 1], [1e-6, 0.5], [0.5]]) assert.equal(aheadOf(ended(...gaps)), null)
})
