import assert from "node:assert/strict"
import {test} from "node:test"
import {Clock, singles, ticks} from "../../../cdlab/dashboard/stage/clock.js"

const lane = (steps, end) => ({steps: {passes: steps}, passes: [0, end]})

test("every update of every lane is a tick, then every pass", () => {
  const all = ticks([lane([0.1, 0.2], 3), lane([0.15, 0.5], 2)])
  assert.deepEqual(all, [0, 0.1, 0.15, 0.2, 0.5, 1, 2, 3])
  assert.equal(singles([lane([0.1, 0.2], 3), lane([0.15, 0.5], 2)], all), 5)
})

test("updates at the same moment share a tick", () => {
  assert.deepEqual(ticks([lane([0.25, 0.5], 1), lane([0.25, 0.75], 1)]), [0, 0.25, 0.5, 0.75, 1])
})

test("a long race has a tick for every few passes, and its end", () => {
  const all = ticks([lane([], 10007.5)])
  assert.ok(all.length <= 245)
  assert.equal(all.at(-1), 10007.5)
  assert.ok(all.slice(1, -1).every((tick, k) => tick === (k + 1) * all[1]))
})

test("nothing has run: one tick", () => assert.deepEqual(ticks([]), [0]))

test("lanes share the clock: ten ticks a second, and at normal speed the rest in five seconds", () => {
  const clock = new Clock(ticks([lane([], 200)]))
  clock.speed = "slow"
  clock.play()
  clock.advance(4000)
  assert.equal(clock.tick, 40)
  assert.equal(clock.passes, 40)
  clock.speed = "normal"
  clock.seek(0)
  clock.play()
  clock.advance(3000)
  assert.equal(clock.tick, 30)
  clock.advance(4900)
  assert.ok(clock.playing)
  clock.advance(200)
  assert.equal(clock.position, clock.last)
})

test("at the fastest any race takes a second and a half", () => {
  for (const end of [100, 230]) {
    const clock = new Clock(ticks([lane([], end)]))
    clock.speed = "fast"
    clock.play()
    clock.advance(1400)
    assert.ok(clock.playing === (end > 140))
    clock.advance(200)
    assert.equal(clock.position, clock.last)
    assert.ok(!clock.playing)
  }
})

test("between two ticks passes go on evenly", () => {
  const clock = new Clock([0, 1, 5])
  clock.seek(1.25)
  assert.equal(clock.passes, 2)
})

test("a step leads to the next tick and stops; from the end to the first update", () => {
  const clock = new Clock([0, 0.1, 0.2, 1])
  clock.play()
  clock.seek(1.7)
  clock.step()
  assert.deepEqual([clock.position, clock.playing], [2, false])
  clock.seek(3)
  clock.step()
  assert.equal(clock.position, 1)
})

test("play from the end starts anew, and goes on from elsewhere", () => {
  const clock = new Clock([0, 1, 2])
  clock.seek(2)
  clock.play()
  assert.deepEqual([clock.position, clock.playing], [0, true])
  clock.seek(1)
  clock.pause()
  clock.play()
  assert.equal(clock.position, 1)
})

test("it never leaves its ticks", () => {
  const clock = new Clock([0, 1])
  clock.seek(-3)
  assert.equal(clock.position, 0)
  clock.seek(9)
  assert.equal(clock.position, 1)
})

test("a place in the picture is the nearest tick", () => {
  const clock = new Clock([0, 0.1, 1, 2])
  for (const [passes, tick] of [[0.04, 0], [0.06, 1], [0.7, 2], [1.6, 3], [99, 3], [-1, 0]]) {
    clock.seekPasses(passes)
    assert.equal(clock.position, tick)
  }
})

test("those who listen hear of each move", () => {
  const clock = new Clock([0, 1, 2])
  let heard = 0
  clock.listen(() => { heard += 1 })
  clock.step()
  clock.play()
  clock.advance(50)
  clock.pause()
  assert.equal(heard, 4)
})
