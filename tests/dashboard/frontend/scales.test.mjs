import assert from "node:assert/strict"
import {test} from "node:test"
import {between, decades, lastAt, linear, logarithmic, place, rounds} from "../../../cdlab/dashboard/frontend/src/scales.js"

test("the ×10 clock gives every factor of ten the same length", () => {
  const X = logarithmic(0.1, 1e4, 0, 500)
  for (const x of [0.1, 1, 10, 100, 1000]) assert.ok(Math.abs(X(10 * x) - X(x) - 100) < 1e-9)
  assert.ok(Number.isFinite(X(0)))
  assert.ok(Math.abs(logarithmic(1, 1e-6, 0, 60)(1e-3) - 30) < 1e-9)
})

test("the even clock is linear, and so is drawing between points", () => {
  assert.equal(linear(0, 10, 0, 100)(3), 30)
  assert.equal(between([0, 1, 3], [0, 10, 30], 2), 20)
  assert.equal(between([0, 1, 3], [0, 10, 30], 9), 30)
  assert.equal(lastAt([0, 1, 3], 2.9), 1)
  assert.equal(lastAt([0, 1, 3], -1), 0)
})

test("the marks of the gap end at the target, those of the even clock within it", () => {
  assert.deepEqual(decades(1e-6).map((gap) => Math.round(Math.log10(gap))), [0, -2, -4, -6])
  for (const target of [1e-1, 3e-4, 1e-9, 1e-12]) assert.ok(decades(target).length <= 7 && decades(target).at(-1) === target)
  for (const most of [3, 121.5, 690, 12345]) assert.ok(rounds(most).length >= 3 && rounds(most).at(-1) <= most * 1.0000001)
})

test("a label stands where it covers nothing, or is left out", () => {
  const room = {left: 0, right: 100, top: 0, bottom: 36}
  const label = (x) => ({places: [{x, y: 0, width: 40, height: 16}, {x, y: 20, width: 40, height: 16}], room})
  const [a, b, c] = place([label(0), label(10), label(20)], [])
  assert.ok(a.y === 0 && b.y === 20 && c === undefined)
  assert.equal(place([label(61)], [])[0], undefined) // beyond the room
  const curve = [{x: 0, y: 0, width: 100, height: 36}]
  assert.equal(place([label(0)], [], curve)[0], undefined)
  assert.equal(place([{...label(0), over: true}], [], curve)[0].y, 0)
})
