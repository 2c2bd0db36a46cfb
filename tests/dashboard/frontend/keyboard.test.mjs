import assert from "node:assert/strict"
import {test} from "node:test"
import {KEYS, press, taken, walk} from "../../../cdlab/dashboard/frontend/src/keyboard.js"

/** A page that writes down what it is told. */
function page({can = true, story = 1, step = 1, slide = "", veiled = false, head = null, ran = true} = {}) {
  const told = []
  const note = (name) => (...args) => void told.push([name, ...args])
  const names = ["set", "keep", "newDraws", "takeGuess", "say"]
  return {
    told, ...Object.fromEntries(names.map((name) => [name, note(name)])),
    fresh: {value: can}, veiled: {value: veiled}, state: {value: {story, step, slide, guess: false}},
    replay: {playing: {value: false}, head: {value: head}, play: note("play"), pause: note("pause"), step: note("step"), move: note("move"), rest: note("rest")},
    answers: {value: ["rcd", "even", "sdca"]},
    stories: {all: [1, 2], now: {value: {steps: [1, 2]}}, ran: {value: ran}, go: note("go"), change: note("change"), enter: note("enter"), back: note("back")},
  }
}

test("each key of the list does something", () => {
  const keys = KEYS.flatMap(([name]) => (name === "Space" ? [" "] : name === "← →" ? ["ArrowLeft", "ArrowRight"] : name === "1 2 3" ? [] : [name.toLowerCase()]))
  for (const key of keys) {
    const one = page()
    let shown = false
    assert.ok(press(one, key, () => (shown = true)), key)
    assert.ok(one.told.length === 1 || shown, key)
  }
  assert.equal(press(page(), "x", () => {}), false)
})

test("nothing is replayed that is not there or is hidden", () => {
  for (const where of [{can: false}, {veiled: true}])
    for (const key of [".", "ArrowLeft", ...(where.veiled ? [] : [" "])]) {
      const one = page(where)
      assert.ok(!press(one, key, () => {}))
      assert.deepEqual(one.told, [])
    }
})

test("a question is answered by a number", () => {
  const one = page({veiled: true})
  for (const key of ["1", "2", "3"]) assert.ok(press(one, key, () => {}))
  assert.deepEqual(one.told, [["takeGuess", "rcd"], ["takeGuess", "even"], ["takeGuess", "sdca"]])
  assert.ok(!press(page(), "1", () => {}))
})

test("N walks through a story in Present: guess, replay, change, and B goes back a step", () => {
  const first = (where) => {
    const one = page({slide: "picture", ...where})
    walk(one)
    return one.told[0]
  }
  assert.deepEqual(first({veiled: true}), ["takeGuess", ""])
  assert.deepEqual(first({head: 3}), ["rest"])
  for (const slide of ["picture", "theorem"]) {
    const one = page({slide})
    walk(one)
    assert.deepEqual(one.told, [["set", {slide: "picture"}], ["change"]])
  }
  const back = page({slide: "picture"})
  press(back, "b", () => {})
  assert.deepEqual(back.told, [["back"]])
})

test("arrows turn the pages of Present, and the last one says that it is", () => {
  const pressed = (key, where) => {
    const one = page({slide: "theorem", ...where})
    assert.ok(press(one, key, () => {}))
    return one.told.map(([name]) => name)
  }
  for (const key of ["ArrowRight", "PageDown"]) assert.deepEqual(pressed(key, {step: 2}), ["set", "enter"])
  for (const key of ["ArrowLeft", "PageUp"]) {
    assert.deepEqual(pressed(key, {slide: "picture"}), ["back"])
    assert.deepEqual(pressed(key, {}), ["set"]) // from another slide to the first
  }
  assert.deepEqual(pressed("ArrowRight", {story: 2, step: 2}), ["set", "say"])
})

test("a control that is typed into keeps its keys", () => {
  const event = (selector, key) => ({key, composedPath: () => [{matches: (rule) => rule.split(",").some((each) => each.trim().startsWith(selector))}]})
  assert.ok(taken(event("input:not", "n")))
  assert.ok(taken(event("button", " ")))
  assert.ok(!taken(event("button", "n")))
  assert.ok(!taken(event("div", " ")))
})
