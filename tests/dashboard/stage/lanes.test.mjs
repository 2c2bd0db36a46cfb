import assert from "node:assert/strict"
import {test} from "node:test"
import {extent} from "../../../cdlab/dashboard/stage/curves.js"
import {tilt} from "../../../cdlab/dashboard/stage/faceoff.js"
import {spread} from "../../../cdlab/dashboard/stage/labels.js"
import {at, cellOf, curve, drawn, upTo} from "../../../cdlab/dashboard/stage/lanes.js"
import {rows} from "../../../cdlab/dashboard/stage/numbers.js"

const steps = {
  coordinates: [[5], [2], [5]], nonzeros: [3, 1, 3], cells: [null, [0], null], passes: [0.3, 0.4, 0.7],
  error: [0.9, 0.8, 0.6], primal: [9, 8, 6], dual: [1, 2, 3], gap: [0.8, 0.6, 0.3],
}
const lane = {
  label: "sdca, uniform", side: "dual", look: {light: "#000", dark: "#fff", dash: [], marker: "circle"}, steps,
  moves: {p: [], moved: [], weights: []},
  passes: [0, 1, 2, 3], error: [1, 0.5, 0.1, 0.01], primal: [10, 5, 1, 0.1], dual: [0, 3.5, 4, 4.5], gap: [1, 0.3, 0.1, 0.01], reached: 3, promise: null,
  note: "", ended: "",
}

test("what is known is the last update, later the last measurement", () => {
  const errors = [0, 0.29, 0.3, 0.5, 0.7, 0.99, 1, 2.5, 3, 9].map((passes) => at(lane, passes).error)
  assert.deepEqual(errors, [1, 1, 0.9, 0.8, 0.6, 0.6, 0.5, 0.1, 0.01, 0.01])
})

test("updates are counted while they are shown one by one", () => {
  assert.deepEqual([0, 0.3, 0.69, 0.7, 0.71, 2].map((passes) => at(lane, passes).updates), [0, 1, 2, 3, null, null])
})

test("a run without single updates has none", () => {
  const without = {...lane, steps: {...steps, passes: [], coordinates: []}}
  assert.equal(at(without, 0.5).updates, null)
  assert.equal(at(without, 0.5).error, 1)
})

test("a curve is the start, the updates, then the measurements after them", () => {
  assert.deepEqual(curve(lane), {xs: [0, 0.3, 0.4, 0.7, 1, 2, 3], ys: [1, 0.9, 0.8, 0.6, 0.5, 0.1, 0.01]})
})

test("the frame is set by the curves, from a power of ten", () => {
  const frame = extent([{...lane, promise: {passes: [0, 3], error: [1e5, 1e-9]}}])
  assert.equal(frame.end, 3)
  assert.equal(frame.low, 0.01)
  assert.ok(frame.high >= 1 && frame.high < 10)
  assert.equal(extent([]), null)
})

test("the clock's end is that of the newest race: an earlier, longer one is cut off", () => {
  const before = {...lane, earlier: true, passes: [0, 100, 200, 600]}
  assert.equal(extent([lane, before]).end, 3)
})

test("draws are counted by cells", () => {
  assert.deepEqual(drawn(steps, 3, 6, 3), [0, 1, 2])
  assert.deepEqual(drawn(steps, 1, 6, 3), [0, 0, 1])
  assert.deepEqual([0, 1, 499, 500, 999].map((k) => cellOf(k, 1000, 2)), [0, 0, 0, 1, 1])
})

test("how many of a list are at most x", () => {
  assert.deepEqual([-1, 0, 0.5, 1, 7].map((x) => upTo([0, 1, 1, 2], x)), [0, 1, 1, 3, 4])
})

test("labels keep apart and in order, and inside", () => {
  const found = spread([50, 52, 51, 200], 15, 10, 195)
  assert.deepEqual([...found.keys()].sort((a, b) => found[a] - found[b]), [0, 2, 1, 3])
  const sorted = [...found].sort((a, b) => a - b)
  assert.ok(sorted.slice(1).every((each, k) => each - sorted[k] >= 15))
  assert.ok(found.every((each) => each >= 10 && each <= 195))
})

test("the beam sinks on the side that has more work, and not without end", () => {
  assert.equal(tilt(1), -0)
  assert.ok(tilt(10) < 0) // T_P is the larger one: the left, where the primal hangs, sinks
  assert.equal(tilt(0.1), -tilt(10))
  assert.equal(tilt(1e9), -11)
  assert.equal(tilt(null), 0)
})

test("the table has the first and the last passes, and not too many rows", () => {
  const long = {...lane, passes: Array.from({length: 300}, (_, k) => k), error: new Array(300).fill(1)}
  const found = rows({lanes: [long], across: "", up: ""})
  assert.ok(found.length <= 24)
  assert.deepEqual([found[0], found.at(-1)], [0, 299])
})
