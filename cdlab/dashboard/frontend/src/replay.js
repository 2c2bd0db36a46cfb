// The playhead: where it stands, how it moves, single steps, and what is said there.
import {computed, signal} from "@preact/signals"
import {clamp} from "./scales.js"
import {endOf, gapAt, stepsAt} from "./curves.js"
import {count, lowered, number, share} from "./words.js"

/** @typedef {import("./curves").Series} Series */
/** @typedef {import("./schema").Update} Update */
/** @typedef {import("@preact/signals").ReadonlySignal<Series[]>} SeriesSignal */

/** Whether a step reads one example: also of some methods that move all weights. @param {Pick<Series, "side" | "run">} series */
export const alongRows = ({side, run}) => side === "dual" || (side === "full" && run.updates[0]?.lines.length === 1)

const SECONDS = 6
const FIRST = 0.1 // where the ×10 clock starts, in passes
const STEPS = 12 // that the even clock shows in its first second

/**
 * @param {object} about
 * @param {SeriesSignal} about.series
 * @param {import("@preact/signals").ReadonlySignal<import("./curves").Axis>} about.axis
 * @param {import("@preact/signals").ReadonlySignal<boolean>} about.fresh
 * @param {import("@preact/signals").Signal<import("./state").State>} about.state
 * @param {import("@preact/signals").ReadonlySignal<number>} about.target
 */
export function createReplay({series, axis, fresh, state, target}) {
  const head = signal(/** @type {number | null} */ (null)) // null: the end
  const playing = signal(false)
  const update = signal(/** @type {{series: Series, update: Update, step: number} | null} */ (null))
  const end = computed(() => endOf(series.value))
  const first = computed(() => Math.min(FIRST, end.value / 10))
  const even = computed(() => state.value.even)
  let frame = 0

  /** Where the first dozen steps end, on the even clock. */
  const early = computed(() => Math.max(...series.value.map(({run}) => axis.value === "passes" ? (run.updates[STEPS - 1]?.passes ?? 0) : STEPS), end.value / 1e4))

  /** The place, 0 to 1, of x on the rail. @param {number | null} x */
  function placeOf(x) {
    if (x === null) return 1
    if (even.value) return x <= early.value ? x / early.value / SECONDS : (1 + ((SECONDS - 1) * (x - early.value)) / (end.value - early.value)) / SECONDS
    return clamp(Math.log(x / first.value) / Math.log(end.value / first.value), 0, 1)
  }

  /** @param {number} place */
  function at(place) {
    if (!even.value) return first.value * (end.value / first.value) ** place
    const seconds = place * SECONDS
    return seconds <= 1 ? early.value * seconds : early.value + ((seconds - 1) / (SECONDS - 1)) * (end.value - early.value)
  }

  /** @param {number} x */
  function to(x) {
    pause()
    update.value = null
    head.value = x >= end.value ? null : Math.max(x, even.value ? 0 : first.value)
  }

  function play() {
    cancelAnimationFrame(frame)
    update.value = null
    const from = head.value === null || placeOf(head.value) >= 1 ? 0 : placeOf(head.value)
    const began = performance.now() - from * SECONDS * 1000
    playing.value = true
    const move = (/** @type {number} */ now) => {
      const place = (now - began) / (SECONDS * 1000)
      if (place >= 1) return rest()
      head.value = at(Math.max(place, 0))
      frame = requestAnimationFrame(move)
    }
    head.value = at(from)
    frame = requestAnimationFrame(move)
  }

  function pause() {
    cancelAnimationFrame(frame)
    playing.value = false
  }

  function rest() {
    pause()
    head.value = null
    update.value = null
  }

  /** The next single update of any entry; after the recorded ones, a hundredth of the rail. */
  function step() {
    pause()
    const all = series.value.flatMap((each) => each.run.updates.map((one, k) => ({series: each, update: one, step: k + 1, x: axis.value === "passes" ? one.passes : k + 1})))
      .sort((a, b) => a.x - b.x)
    const last = update.value
    const k = last ? all.findIndex((each) => each.update === last.update) + 1 : head.value === null ? 0 : all.findIndex((each) => each.x > Number(head.value))
    const next = k >= 0 ? all[k] : undefined
    if (!next) return to(at(placeOf(head.value) + 0.01))
    update.value = next
    head.value = next.x
  }

  /** @param {number} places */
  const move = (places) => fresh.value && to(at(clamp(placeOf(head.value) + places, 0, 1)))

  /** What is said at the head, in two sentences. */
  const words = computed(() => {
    const x = head.value
    if (x === null || !series.value.length) return null
    const one = update.value
    const inPasses = axis.value === "passes"
    if (one) {
      const {label, side} = one.series
      const {lines, entries, before, after} = one.update
      const name = side === "primal" ? "w" : "α"
      const what = side === "primal" ? "column" : "row"
      const numbers = before !== null && after !== null ? ` from ${number(before)} to ${number(after)}` : ""
      const moved = lines.length === 0 ? "takes a full gradient" : lines.length > 1 ? `moves ${count(lines.length)} ${what}s at once`
        : side === "full" ? `moves all weights by the slope of row ${count(lines[0] + 1)}`
        : `moves ${name}${lowered(lines[0] + 1)}${numbers}`
      const reads = lines.length === 1 ? `It reads ${what} ${count(lines[0] + 1)}: ${count(entries)} ${entries === 1 ? "entry" : "entries"}.` : `It reads ${count(entries)} entries.`
      return {said: `Step ${count(one.step)} of ${label} ${moved}.`, more: inPasses ? `${reads} ${number(one.update.passes, 2)} passes done.` : reads}
    }
    const gaps = series.value.map((each) => ({label: each.label, gap: gapAt(each, x)})).sort((a, b) => a.gap - b.gap)
    const [best, ...others] = gaps
    const of = best.gap <= target.value ? "" : " of its start"
    const said = `After ${number(x, 2)} ${inPasses ? "passes" : "rounds"}: the gap is ${share(best.gap, target.value)}${of} for ${best.label}${others.map((each) => `, ${share(each.gap, target.value)} for ${each.label}`).join("")}.`
    const ended = series.value.map((each) => x >= (each.reached ?? Infinity) || each.passesAt(x) >= (each.run.passes.at(-1) ?? Infinity))
    const took = series.value.map((each, k) => {
      const how = each.side === "primal" ? "each down a column" : alongRows(each) ? "each along a row" : "each over all data"
      return `${each.label} ${ended[k] ? "stopped after" : "has taken"} ${count(stepsAt(each, Math.min(x, each.reached ?? x)))} steps, ${how}`
    })
    const work = took.length === 1 || ended.includes(true) ? "" : ` Equal work for ${took.length === 2 ? "both" : "all"}.`
    return {said, more: inPasses ? `${took.join("; ")}.${work}` : ""}
  })

  return {head, playing, update, placeOf, at, to, play, pause, rest, step, move, words}
}
