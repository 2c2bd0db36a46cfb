/* What is drawn in the picture of the curves: axes, runs with their bounds, and names. */

import {number, power} from "./formats.js"
import {spread} from "./labels.js"
import {at, curve} from "./lanes.js"
import {line, mark} from "./marks.js"
import {decades, roundTicks} from "./scales.js"
import {colourOf, fontOf} from "./surface.js"

/** @import {Lane, Race} from "./contract.js" */
/** @import {Colours} from "./surface.js" */

export const LEFT = 46
export const BOTTOM = 40
export const TOP = 30
export const MARGIN = 10
export const LABELS = 88 // pixels at the right, for the names of the runs
const AHEAD = 0.3 // opacity of what lies beyond the playhead
export const EARLIER = 0.5 // opacity of an earlier race
const BOUND = [3, 4]
export const RING = 8 // pixels
const APART = 56 // pixels between two markers

/**
 * The bound of a run, and faintly all of its curve; `hidden`: not what is to be waited for.
 * @param {CanvasRenderingContext2D} context @param {Lane} lane
 * @param {(value: number) => number} x @param {(value: number) => number} y @param {Colours} colours
 * @param {boolean} hidden
 */
export function ahead(context, lane, x, y, colours, hidden) {
  const {xs, ys} = curve(lane)
  const up = (/** @type {number | null} */ each) => (each === null ? null : y(each))
  context.strokeStyle = colourOf(lane.look, colours)
  context.lineJoin = "round"
  if (lane.promise) {
    context.lineWidth = 1.2
    context.setLineDash(BOUND)
    line(context, lane.promise.passes.map(x), lane.promise.error.map(up))
  }
  if (hidden && !lane.earlier) return
  context.globalAlpha = lane.earlier ? AHEAD / 2 : AHEAD
  context.lineWidth = 2.2
  context.setLineDash(lane.look.dash)
  line(context, xs.map(x), ys.map(up))
  context.globalAlpha = 1
}

/**
 * The curve of a run up to the playhead, with markers.
 * @param {CanvasRenderingContext2D} context @param {Lane} lane
 * @param {(value: number) => number} x @param {(value: number) => number} y
 * @param {number} head @param {Colours} colours
 */
export function done(context, lane, x, y, head, colours) {
  const colour = colourOf(lane.look, colours), {xs, ys} = curve(lane)
  const across = xs.map(x).filter((each) => each <= head + 1e-6), count = across.length
  const up = ys.slice(0, count).map((each) => (each === null ? null : y(each)))
  context.strokeStyle = colour
  context.lineJoin = "round"
  context.globalAlpha = lane.earlier ? EARLIER : 1
  context.lineWidth = lane.earlier ? 1.4 : 2.2
  context.setLineDash(lane.look.dash)
  line(context, across, up)
  context.setLineDash([])
  context.fillStyle = colour
  context.strokeStyle = colours.paper
  context.lineWidth = 1
  let last = -Infinity
  for (let k = 0; k < count; k++) {
    const height = up[k], end = k === count - 1
    if (height === null || (lane.earlier && !end) || (!end && (across[k] - last < APART || across[count - 1] - across[k] < 14))) continue
    mark(context, lane.look.marker, across[k], height, end ? 5 : 3.6)
    last = across[k]
  }
  const {reached} = lane
  const there = reached !== null && x(reached) <= head + 1e-6 ? at(lane, reached).error : null
  if (there !== null) ring(context, x(/** @type {number} */ (reached)), y(there), colour)
  context.globalAlpha = 1
}

/**
 * Around the place where a gap came to the target.
 * @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {string} colour
 */
function ring(context, x, y, colour) {
  context.strokeStyle = colour
  context.lineWidth = 1.6
  context.beginPath()
  context.arc(x, y, RING, 0, 2 * Math.PI)
  context.stroke()
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {(value: number) => number} x @param {(value: number) => number} y
 * @param {{end: number, low: number, high: number}} frame
 * @param {{right: number, bottom: number, width: number, height: number}} box @param {Race} race @param {Colours} colours
 */
export function axes(context, x, y, frame, {right, bottom, width, height}, race, colours) {
  context.font = fontOf(12, colours)
  context.lineWidth = 1
  context.setLineDash([])
  context.textBaseline = "middle"
  for (const tick of decades(frame.low, frame.high, Math.max(2, (bottom - TOP) / 34))) {
    const at = Math.round(y(tick)) + 0.5
    context.strokeStyle = colours.line
    line(context, [LEFT, right], [at, at])
    context.fillStyle = colours.quiet
    context.textAlign = "right"
    context.fillText(tick === 1 ? "1" : power(Math.round(Math.log10(tick))), LEFT - 8, at)
  }
  context.textBaseline = "alphabetic"
  context.textAlign = "center"
  for (const tick of roundTicks(0, frame.end, Math.max(2, (right - LEFT) / 80))) context.fillText(number(tick), x(tick), bottom + 17)
  context.strokeStyle = colours.quiet
  line(context, [LEFT, right], [bottom + 0.5, bottom + 0.5])
  context.textAlign = "right"
  context.fillText(race.across, right, height - 5)
  context.textAlign = "left"
  context.fillText(race.up, 0, 12)
  const free = width - context.measureText(race.up).width - 16
  context.textAlign = "right"
  if (context.measureText(race.problem).width <= free) context.fillText(race.problem, width, 12)
  else {
    context.textAlign = "left"
    context.fillText(race.problem, 0, height - 5)
  }
}

/**
 * Names beside the ends of the curves, so far as they are drawn, with the passes after which the gap was at the target.
 * @param {CanvasRenderingContext2D} context @param {Lane[]} lanes @param {number} passes
 * @param {(value: number) => number} x @param {(value: number) => number} y @param {{right: number, bottom: number}} box
 * @param {number} width @param {Colours} colours
 */
export function names(context, lanes, passes, x, y, {right, bottom}, width, colours) {
  if (width - right < LABELS) return
  const here = lanes.filter(({earlier}) => !earlier).map((lane) => ({lane, error: at(lane, passes).error})).filter(({error}) => error !== null)
  const heights = spread(here.map(({error}) => y(/** @type {number} */ (error))), Math.max(15, colours.least + 3), TOP + 4, bottom - 4)
  context.font = fontOf(12, colours, "600")
  context.textAlign = "left"
  context.textBaseline = "middle"
  here.forEach(({lane}, k) => {
    const [first] = lane.label.split(","), {reached} = lane, there = reached !== null && reached <= passes + 1e-9
    const name = there ? `${first} ${number(reached)}` : first, from = x(Math.min(passes, lane.passes.at(-1) ?? 0)) + 9
    context.lineWidth = 3
    context.strokeStyle = colours.paper
    context.strokeText(name, from, heights[k], LABELS - 12)
    context.fillStyle = colourOf(lane.look, colours)
    context.fillText(name, from, heights[k], LABELS - 12)
  })
  context.textBaseline = "alphabetic"
}
