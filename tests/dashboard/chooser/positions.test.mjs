/* Sliders: positions and values. */

import assert from "node:assert/strict"
import {test} from "node:test"
import {placeOf, stepped, valueAt} from "../../../cdlab/dashboard/chooser/positions.js"

const density = {name: "density", low: -3, high: 0, step: 0.05, log: true, whole: false, bounds: [0.0001, 1]}
const skew = {name: "skew", low: 0, high: 3, step: 0.1, log: false, whole: false, bounds: [0, 3]}
const d = {name: "d", low: 0, high: 5, step: 0.05, log: true, whole: true, bounds: [1, 100000]}

test("a logarithmic slider holds powers of ten, with two digits", () => {
  assert.equal(valueAt(density, -1.3), 0.05)
  assert.equal(valueAt(density, 0), 1)
  assert.equal(valueAt(d, 3), 1000)
})

test("values stay within the bounds of their choice", () => {
  assert.equal(valueAt(d, -0.2), 1)
  assert.equal(valueAt(density, 0.2), 1)
})

test("eight steps to the right are eight values further, wherever they begin", () => {
  for (const [slider, start] of [[density, 0.001], [skew, 0], [d, 1], [d, 3], [d, 1234]]) {
    const seen = [start]
    for (let k = 0; k < 8; k++) seen.push(stepped(slider, seen.at(-1), 1))
    assert.equal(new Set(seen).size, 9, `${slider.name} ${seen}`)
    assert.deepEqual(seen, seen.toSorted((a, b) => a - b))
  }
})

test("at an end a step leads nowhere", () => {
  assert.equal(stepped(density, 1, 1), 1)
  assert.equal(stepped(d, 1, -1), 1)
  assert.equal(stepped(skew, 3, 10), 3)
})

test("a value is where its position is", () => {
  for (const value of [0.001, 0.05, 0.3, 1]) assert.equal(valueAt(density, placeOf(density, value)), value)
  for (const value of [1, 7, 200, 100000]) assert.equal(valueAt(d, placeOf(d, value)), value)
})
