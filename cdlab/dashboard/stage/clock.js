/* One clock for all runs. It stands at a tick: first there is one for each update that is shown by itself, then one for
   each pass, or for every few passes of a long race. */

const MARKS = 240 // ticks of the passes, about
const SLOW = 10 // ticks a second
const LOOKED_AT = 30 // ticks that the normal speed shows slowly, too
const REST = 5 // seconds that it takes for all others
const FAST = 1.5 // seconds that a replay takes at the fastest

export const SPEEDS = ["slow", "normal", "fast"]

/**
 * The passes at which the clock can stand, 0 first.
 * @param {{steps: {passes: number[]}, passes?: number[]}[]} lanes
 * @returns {number[]}
 */
export function ticks(lanes) {
  const steps = lanes.flatMap((lane) => lane.steps.passes)
  const measured = lanes.flatMap((lane) => lane.passes?.at(-1) ?? [])
  const end = Math.max(0, ...steps, ...measured)
  const stride = Math.max(1, Math.ceil(end / MARKS))
  const marks = Array.from({length: Math.floor(end / stride)}, (_, k) => (k + 1) * stride)
  return [...new Set([0, ...steps, ...marks, end])].sort((a, b) => a - b)
}

/**
 * How many ticks, from the first, show single updates of some lane: the others show passes.
 * @param {{steps: {passes: number[]}}[]} lanes
 * @param {number[]} all
 */
export function singles(lanes, all) {
  const last = Math.max(0, ...lanes.map((lane) => lane.steps.passes.at(-1) ?? 0))
  return all.filter((tick) => tick <= last).length
}

export class Clock {
  /** @param {number[]} [all] */
  constructor(all = [0]) {
    /** @type {number[]} */
    this.ticks = all
    /** A tick, or between two of them. */
    this.position = 0
    this.playing = false
    this.speed = "normal"
    /** @type {(() => void)[]} */
    this.listeners = []
  }

  get last() {
    return this.ticks.length - 1
  }

  /** The tick that was reached. */
  get tick() {
    return Math.floor(this.position)
  }

  /** Passes, which between two ticks go on evenly. */
  get passes() {
    const from = this.ticks[this.tick]
    return from + (this.position - this.tick) * ((this.ticks[this.tick + 1] ?? from) - from)
  }

  /** @param {() => void} listener */
  listen(listener) {
    this.listeners.push(listener)
  }

  tell() {
    for (const listener of this.listeners) listener()
  }

  /**
   * Other ticks; the clock stands at their end.
   * @param {number[]} all
   */
  set(all) {
    this.ticks = all
    this.playing = false
    this.seek(this.last)
  }

  /** @param {number} position */
  seek(position) {
    this.position = Math.min(Math.max(position, 0), this.last)
    if (this.position === this.last) this.playing = false
    this.tell()
  }

  /** To the next tick; from the end to the first update. */
  step() {
    this.playing = false
    this.seek(this.position >= this.last ? Math.min(1, this.last) : this.tick + 1)
  }

  /** From where it stands, or from the start if that is the end. */
  play() {
    if (this.last === 0) return
    if (this.position >= this.last) this.position = 0
    this.playing = true
    this.tell()
  }

  pause() {
    this.playing = false
    this.tell()
  }

  /** Ticks a second, here. */
  get rate() {
    if (this.speed === "fast") return Math.max(10 * SLOW, this.last / FAST)
    if (this.speed === "slow" || this.position < LOOKED_AT) return SLOW
    return Math.max(SLOW, (this.last - LOOKED_AT) / REST)
  }

  /**
   * So many milliseconds later.
   * @param {number} milliseconds
   */
  advance(milliseconds) {
    if (!this.playing) return
    this.seek(this.position + (this.rate * milliseconds) / 1000)
  }

  /**
   * To the tick nearest to so many passes.
   * @param {number} passes
   */
  seekPasses(passes) {
    const after = this.ticks.findIndex((tick) => tick >= passes)
    if (after < 0) return this.seek(this.last)
    const before = Math.max(0, after - 1)
    return this.seek(passes - this.ticks[before] < this.ticks[after] - passes ? before : after)
  }
}
