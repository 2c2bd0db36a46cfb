import assert from "node:assert/strict"
import {readFileSync} from "node:fs"
import {test} from "node:test"
import {placeOf, read, start, storyChoices, written} from "../../../cdlab/dashboard/frontend/src/state.js"

const catalog = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url)))[0].answers[0].value

test("the address of the opening state is empty", () => {
  assert.equal(written(start(catalog), catalog), "")
  assert.deepEqual(read("", catalog), {state: start(catalog), complaints: []})
})

test("what is written into the address is read from it", () => {
  const state = {...start(catalog), even: true, guess: true, drawer: "Steps", slide: "matrix"}
  state.choices = {...state.choices, skew: 0.5, n: 300, methods: ["rcd", "quartz(32)@uniform"], l2_over_n: false, data: "mushrooms", l1: 1e-7}
  assert.deepEqual(read(written(state, catalog), catalog), {state, complaints: []})
})

test("every step of every story has an address, which says no more than where it is", () => {
  for (const [k, story] of catalog.stories.entries())
    for (const step of story.steps.keys()) {
      const state = {...start(catalog), story: k + 1, step: step + 1, choices: storyChoices(catalog, k + 1, step + 1)}
      const address = written(state, catalog)
      assert.deepEqual(read(address, catalog), {state, complaints: []})
      assert.match(address, /^story=\d+(&step=\d)?$/)
    }
})

test("v in an address, which links of the course have, says nothing", () => {
  for (const version of ["1", "2", "x"]) assert.deepEqual(read(`n=300&v=${version}`, catalog), read("n=300", catalog))
})

test("choices of a story's step are known as such", () => {
  assert.deepEqual(placeOf(catalog, storyChoices(catalog, 3, 2)), {story: 3, step: 2})
  assert.deepEqual(placeOf(catalog, {...start(catalog).choices, n: 77}), {story: 0, step: 1})
})

test("what cannot be is left out, and said in a sentence", () => {
  for (const query of ["n=abc", "n=3.5", "nothing=1", "methods=nobody", "story=99", "l2_over_n=maybe", "n=", "n=Infinity"]) {
    const {state, complaints} = read(query, catalog)
    assert.equal(complaints.length, 1, query)
    assert.match(complaints[0], /^The address asks for .*, which was left out: .*\.$/)
    assert.deepEqual(state, start(catalog))
  }
  for (const [query, why] of [["density=7", "it must be at most 1"], ["n=-5", "it must be at least 2"], ["loss=foo", "it must be squared, logistic, .* or softmax"],
    ["data=nosuch", "there are no such data here"], ["methods=sdca@foo", "there is no sampling foo"]]) {
    const {state, complaints} = read(query, catalog)
    assert.match(complaints.join(), new RegExp(`which was left out: ${why}\\.$`))
    assert.deepEqual(state, start(catalog))
  }
  assert.ok(read(`x=${"9".repeat(400)}`, catalog).complaints[0].length < 160)
})
