import assert from "node:assert/strict"
import {test} from "node:test"
import {counted, number, power, times} from "../../../cdlab/dashboard/stage/formats.js"

test("numbers are written as elsewhere on the page", () => {
  const written = [8124, 13.4054, 0.05, 1.2345e-7, 1e-8, 12345678.9, Infinity, null].map((each) => number(each))
  assert.deepEqual(written, ["8,124", "13.4", "0.05", "1.23·10⁻⁷", "10⁻⁸", "1.23·10⁷", "∞", "–"]) // words.number
})

test("digits can be chosen", () => assert.equal(number(0.0123456, 2), "0.012"))
test("what is no number is said to be none", () => assert.equal(number(NaN), "–"))
test("exponents are raised", () => assert.equal(power(-16), "10⁻¹⁶"))
test("a ratio", () => assert.deepEqual([times(18.33), times(1.24)], ["18×", "1.2×"]))
test("one is singular", () => {
  assert.deepEqual([1, 12, 0].map((each) => counted(each, "nonzero")), ["1 nonzero", "12 nonzeros", "0 nonzeros"])
  assert.equal(counted(2, "pass"), "2 passes")
})
