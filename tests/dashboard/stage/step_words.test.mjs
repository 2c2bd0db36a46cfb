import assert from "node:assert/strict"
import {test} from "node:test"
import {sentence} from "../../../cdlab/dashboard/stage/step_words.js"

const look = {light: "#000", dark: "#fff", dash: [], marker: "circle"}
const steps = {coordinates: [[16], [4]], nonzeros: [4, 4], cells: [null, null], passes: [1, 2], primal: [], dual: [], error: [], gap: []}
const lane = {label: "sdca, importance", side: "dual", look, steps, passes: [], primal: [], dual: [], error: [], gap: [], reached: null, promise: null, note: "", earlier: false, ended: ""}
const moves = {p: [0.031, null], moved: [[0.12, 0.4], null], weights: [4, 200]}
const said = (lanes, updates = 1) => sentence(lanes, 1, lanes.map((each) => ({lane: each, updates, now: true})))

test("a dual step moves a dual variable, and w along a row; counted from one as people do", () => {
  assert.equal(said([{...lane, moves}]),
    "Dual step 1: example 17 (p = 0.031). Its dual variable moved from 0.12 to 0.4, and with it 4 weights of its row.")
})

test("a primal step moves a weight, and predictions follow", () => {
  assert.equal(said([{...lane, side: "primal", moves}]),
    "Primal step 1: feature 17 (p = 0.031). Its weight moved from 0.12 to 0.4, and with it 4 predictions.")
})

test("a step that changes nothing says so, one that moves more than a row, too", () => {
  assert.match(said([{...lane, moves: {...moves, moved: [[0, 0], null]}}]), /Its dual variable stays at 0: 4 nonzeros read\.$/)
  assert.match(said([{...lane, moves: {...moves, weights: [9, 9]}}]), /, and with it 9 weights\.$/)
  assert.equal(said([{...lane, moves}], 2), "Dual step 2: example 5. 4 nonzeros read, 200 weights moved.")
})

test("of two steps at one moment the longer one is told in full", () => {
  const long = {...lane, side: "primal", moves, steps: {...steps, nonzeros: [9, 9]}}
  assert.match(said([{...lane, moves}, long]), /^Primal step 1: .* predictions\. Dual step 1: example 17\.$/)
})

test("two runs of a side have names", () => {
  assert.match(said([{...lane, moves}, {...lane, label: "quartz, uniform", moves}]), /^Dual step 1 of sdca: .* Dual step 1 of quartz: example 17\.$/)
})

test("without updates it says nothing, and beyond them that passes are shown", () => {
  assert.equal(sentence([lane], 0, []), "")
  assert.match(sentence([lane], 2, []), /pass by pass/)
})
