/* Methods found by what they do. */

import assert from "node:assert/strict"
import {test} from "node:test"
import {moved, search, sides, taken} from "../../../cdlab/dashboard/chooser/search.js"

const METHODS = [
  {name: "sdca", side: "dual", group: "Dual coordinates", words: "exact steps on one example at a time"},
  {name: "apcg", side: "dual", group: "Dual coordinates", words: "accelerated, dual, one example at a time"},
  {name: "rcd", side: "primal", group: "Primal coordinates", words: "one feature at a time"},
  {name: "acc_rcd", side: "primal", group: "Primal coordinates", words: "accelerated, primal, one feature at a time"},
  {name: "saga", side: "dual", group: "Gradient", words: "stochastic gradient with a memory"},
]
const names = (query) => [...search(METHODS, query).values()].flat().map(({name}) => name)

test("each word of the query begins a word of what is said", () => {
  assert.deepEqual(names("accelerated, dual"), ["apcg"])
  assert.deepEqual(names("acc"), ["apcg", "acc_rcd"])
  assert.deepEqual(names("MEMORY"), ["saga"])
  assert.deepEqual(names("feature primal"), ["rcd", "acc_rcd"])
  assert.deepEqual(names("elerated"), [])
})

test("an empty query finds all, under their groups in the order of the list", () => {
  assert.deepEqual([...search(METHODS, " ").keys()], ["Dual coordinates", "Primal coordinates", "Gradient"])
  assert.deepEqual(names(""), METHODS.map(({name}) => name))
})

test("the first method of each side stands in the row, the others beside them", () => {
  assert.deepEqual(sides(METHODS, ["saga", "rcd", "sdca"]), {primal: "rcd", dual: "saga", others: ["sdca"]})
  assert.deepEqual(sides(METHODS, ["sdca"]), {primal: "", dual: "sdca", others: []})
})

test("a method taken for a side replaces the one that stood there, and nothing else", () => {
  assert.deepEqual(taken(METHODS, ["rcd", "sdca", "saga"], "dual", "apcg"), ["rcd", "apcg", "saga"])
  assert.deepEqual(taken(METHODS, ["rcd", "sdca", "saga"], "dual", "saga"), ["rcd", "saga"])
  assert.deepEqual(taken(METHODS, ["sdca"], "primal", "rcd"), ["rcd", "sdca"])
  assert.deepEqual(taken(METHODS, ["rcd", "sdca"], "primal", ""), ["sdca"])
})

test("the arrows go around the list", () => {
  assert.equal(moved(-1, 3, "ArrowDown"), 0)
  assert.equal(moved(2, 3, "ArrowDown"), 0)
  assert.equal(moved(0, 3, "ArrowUp"), 2)
  assert.equal(moved(-1, 3, "ArrowUp"), 2)
  assert.equal(moved(-1, 0, "ArrowDown"), -1)
})
