/* Inputs ahead of the server, and values that come quickly. */

import assert from "node:assert/strict"
import {test} from "node:test"
import {Ahead, Pace} from "../../../cdlab/dashboard/chooser/ahead.js"

test("what was never changed takes any answer", () => {
  assert.ok(new Ahead().answered("n", {}))
})

test("an answer to an earlier change is none to the latest one", () => {
  const ahead = new Ahead()
  assert.deepEqual(ahead.send(["n"]), {n: 1})
  assert.deepEqual(ahead.send(["n", "d"]), {n: 2, d: 1})
  assert.ok(!ahead.answered("n", {}))
  assert.ok(!ahead.answered("n", {n: 1}))
  assert.ok(ahead.answered("n", {n: 2}))
  assert.ok(!ahead.answered("d", {n: 2}))
})

/** A clock that is turned by hand. */
function clock() {
  const due = new Map()
  let now = 0, count = 0
  return {
    later: (work, ms) => { due.set(++count, [now + ms, work]); return count },
    never: (timer) => due.delete(timer),
    to(time) {
      for (;;) {
        const next = [...due].filter(([, [at]]) => at <= time).sort((a, b) => a[1][0] - b[1][0])[0]
        if (!next) break
        due.delete(next[0])
        now = next[1][0]
        next[1][1]()
      }
      now = time
    },
  }
}

test("the first value is told at once, then the latest of each while, and the last in any case", () => {
  const told = [], time = clock()
  const pace = new Pace((value) => told.push(value), 80, time.later, time.never)
  for (const value of [1, 2, 3]) pace.offer(value)
  assert.deepEqual(told, [1])
  time.to(80)
  assert.deepEqual(told, [1, 3])
  pace.offer(4)
  time.to(200)
  assert.deepEqual(told, [1, 3, 4])
  time.to(1000)
  assert.deepEqual(told, [1, 3, 4])
})

test("letting go tells what is still to be told, once", () => {
  const told = [], time = clock()
  const pace = new Pace((value) => told.push(value), 80, time.later, time.never)
  pace.offer(1)
  pace.offer(2)
  pace.flush()
  pace.flush()
  time.to(500)
  assert.deepEqual(told, [1, 2])
})
