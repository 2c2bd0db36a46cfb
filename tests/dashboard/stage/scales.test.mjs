import assert from "node:assert/strict"
import {test} from "node:test"
import {decades, linear, logarithmic, roundTicks} from "../../../cdlab/dashboard/stage/scales.js"

test("a linear scale leads to pixels and back", () => {
  const x = linear(0, 50, 40, 540)
  assert.deepEqual([x(0), x(25), x(50)], [40, 290, 540])
  assert.equal(x.invert(290), 25)
})

test("heights grow upwards: the larger end lies at the smaller pixel", () => {
  const y = logarithmic(1e-8, 1, 400, 0)
  assert.ok(Math.abs(y(1e-4) - 200) < 1e-9)
  assert.ok(Math.abs(y.invert(100) / 1e-2 - 1) < 1e-9)
})

test("a scale without extent does not divide by zero", () => assert.equal(linear(3, 3, 0, 100)(3), 0))

test("ticks are round and inside", () => {
  assert.deepEqual(roundTicks(0, 64.1, 5), [0, 20, 40, 60])
  assert.deepEqual(roundTicks(0, 1, 4), [0, 0.5, 1])
  assert.deepEqual(roundTicks(0.3, 0.3, 4), [0.3])
  for (const [low, high, count] of [[0, 7, 5], [0, 1234, 6], [0.02, 0.021, 4]]) {
    const found = roundTicks(low, high, count)
    assert.ok(found.length <= count + 1 && found.length >= 2)
    assert.ok(found.every((tick) => tick >= low && tick <= high * (1 + 1e-12)))
  }
})

test("decades: each, or every second, the highest among them", () => {
  assert.deepEqual(decades(1e-3, 2, 10), [1e-3, 1e-2, 1e-1, 1])
  assert.deepEqual(decades(1e-9, 1, 5), [1e-8, 1e-6, 1e-4, 1e-2, 1])
  assert.ok(decades(1e-16, 1, 4).length <= 5)
})
