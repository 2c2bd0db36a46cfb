import assert from "node:assert/strict"
import {readFileSync} from "node:fs"
import {test} from "node:test"
import * as words from "../../../cdlab/dashboard/frontend/src/words.js"

const catalog = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url)))[0].answers[0].value
const sliders = catalog.sliders.filter(({scale, least}) => scale !== "log" || least > 0) // what may be 0 besides is typed in, in the drawer

test("numbers as people write them", () => {
  assert.equal(words.number(4840.37), "4,840")
  assert.equal(words.number(0.18528), "0.185")
  assert.equal(words.number(null), "–")
  assert.equal(words.power(1e-6), "10⁻⁶")
  assert.equal(words.power(3e-4), "3 · 10⁻⁴")
  assert.equal(words.power(9.7e-4), "10⁻³")
  assert.equal(words.passes(21.73), "21.7")
  assert.equal(words.passes(2.13), "2.1")
  assert.equal(words.share(0.44, 1e-6), "0.44")
  assert.equal(words.share(1e-6, 1e-6), "at the target")
  assert.equal(words.share(1.4e-6, 1e-6), "1.4 · 10⁻⁶") // rounded it would read as the target
  assert.equal(words.share(1.02e-6, 1e-6), "1.02 · 10⁻⁶")
  assert.equal(words.weight({l2: 0.01, l2_over_n: true}), "0.01/n")
})

test("each place of a slider gives a value whose place it is", () => {
  for (const slider of sliders)
    for (const place of [0, 0.25, 0.5, 1]) {
      const value = words.valueAt(slider, place)
      assert.ok(value >= slider.least * 0.98 - 1e-12 && value <= slider.most * 1.02, slider.name)
      if (!slider.whole) assert.ok(Math.abs(words.position(slider, value) - place) < 0.02, slider.name)
    }
})

test("the next place of a slider is another value, in few digits", () => {
  for (const slider of sliders.filter(({whole}) => !whole))
    for (let k = 0; k < words.PLACES; k++) {
      const [one, next] = [k, k + 1].map((each) => words.valueAt(slider, each / words.PLACES))
      assert.ok(next > one, `${slider.name} at ${k}`)
      assert.equal(next, +next.toPrecision(4))
    }
})

test("data are named by the card that they are nearest to, and by what differs", () => {
  const choices = catalog.defaults
  assert.equal(words.dataWords(catalog, choices), "words, skew 1.3")
  for (const card of catalog.cards) assert.equal(words.cardOf(catalog, {...choices, ...card.sets}), card)
  assert.equal(words.cardOf(catalog, {...choices, data: "mushrooms"}), undefined)
  assert.equal(words.difference(catalog, choices, {...choices, l2: 0.01}), "λ = 1/n")
  assert.equal(words.difference(catalog, choices, choices), "")
  assert.equal(words.difference(catalog, {...choices, data: "upload", upload: "big.csv:c3c4e5"}, choices), "big.csv")
})

test("an entry is read into its parts and written from them", () => {
  for (const entry of ["sdca", "sdca@importance", "quartz(32)", "quartz(32)@uniform"]) assert.equal(words.entryOf(words.entryParts(entry)), entry)
})

test("sentences of stories are filled with the numbers of their races", () => {
  const numbers = {a: {"rcd, uniform": "106", lead: "4.8"}, b: {"sdca.weights": "50"}}
  assert.equal(words.filled("{a.rcd, uniform}; {a.lead}; {b.sdca.weights}; {b.none}", numbers), "106; 4.8; 50; –")
})
