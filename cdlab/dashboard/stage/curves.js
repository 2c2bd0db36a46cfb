/* The region "Convergence": the curves of all runs up to the playhead, and the bounds of their theorems. */

import {element} from "../parts/dom.js"
import {number, power} from "./formats.js"
import {at, curve} from "./lanes.js"
import {spread} from "./labels.js"
import {Legend} from "./legend.js"
import {line, mark} from "./marks.js"
import {decades, linear, logarithmic, roundTicks} from "./scales.js"
import {colourOf, Surface} from "./surface.js"
import {fill} from "./numbers.js"

/** @import {Clock} from "./clock.js" */
/** @import {Lane, Race} from "./contract.js" */
/** @import {Colours} from "./surface.js" */

const LEFT = 46, BOTTOM = 40, TOP = 30, MARGIN = 10
const LABELS = 74 // pixels at the right, for the names of the runs
const AHEAD = 0.3 // opacity of what lies beyond the playhead
const BOUND = [3, 4]
const APART = 56 // pixels between two markers

export class CurvesView {
  /** @param {Clock} clock */
  constructor(clock) {
    this.clock = clock
    /** @type {Race | null} */
    this.race = null
    this.frame = extent([])
    /** @type {Set<string>} */
    this.muted = new Set()
    this.legend = new Legend((label) => {
      if (!this.muted.delete(label)) this.muted.add(label)
      this.surface.redraw()
      this.legend.show(this.lanes, this.muted, clock.passes)
    })
    this.surface = new Surface("Convergence", (...args) => this.draw(...args))
    this.stale = element("p", {className: "stale"})
    this.stale.setAttribute("role", "status")
    this.table = element("div", {className: "numbers", hidden: true, tabIndex: 0})
    this.opener = element("button", {type: "button", className: "opener", textContent: "table", onclick: () => this.turn()})
    this.opener.setAttribute("aria-expanded", "false")
    const header = element("header", {}, element("h3", {textContent: "Convergence"}), this.opener)
    this.body = element("div", {className: "body"}, this.surface.node, this.table)
    this.node = element("section", {className: "curves"}, header, this.stale, this.legend.node, this.body)
    this.node.setAttribute("role", "region")
    this.node.setAttribute("aria-label", "Convergence")
    this.grab()
  }

  get lanes() {
    return this.race?.lanes ?? []
  }

  /** @param {Race | null} race */
  set(race) {
    this.race = race
    this.frame = extent(this.lanes)
    this.stale.textContent = race?.stale ?? ""
    this.node.classList.toggle("old", Boolean(race?.stale))
    this.legend.set(this.lanes)
    if (!this.table.hidden && race) fill(this.table, race)
    this.move()
  }

  move() {
    this.legend.show(this.lanes, this.muted, this.clock.passes)
    this.surface.redraw()
  }

  turn() {
    this.table.hidden = !this.table.hidden
    this.surface.node.hidden = !this.table.hidden
    this.opener.textContent = this.table.hidden ? "table" : "picture"
    this.opener.setAttribute("aria-expanded", String(!this.table.hidden))
    if (!this.table.hidden && this.race) fill(this.table, this.race)
  }

  /** Drag the playhead in the picture. */
  grab() {
    const {canvas} = this.surface
    const move = (/** @type {PointerEvent} */ event) => {
      if (!this.across || !(event.buttons & 1)) return
      this.clock.playing = false
      this.clock.seekPasses(this.across.invert(event.clientX - canvas.getBoundingClientRect().left))
    }
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId)
      move(event)
    }
    canvas.onpointermove = move
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} width @param {number} height @param {Colours} colours
   */
  draw(context, width, height, colours) {
    const shown = this.lanes.filter(({label}) => !this.muted.has(label))
    const {frame} = this, right = width - (width > 420 ? LABELS : MARGIN)
    if (!frame || !this.race) {
      context.fillStyle = colours.quiet
      context.font = `14px ${colours.font}`
      context.textAlign = "center"
      context.fillText("Press Run.", width / 2, height / 2)
      this.surface.name = "Convergence: nothing has run."
      return
    }
    const x = linear(0, frame.end, LEFT, right), y = logarithmic(frame.low, frame.high, height - BOTTOM, TOP)
    this.across = x
    axes(context, x, y, frame, {right, bottom: height - BOTTOM, height}, this.race, colours)
    const head = x(this.clock.passes)
    context.save()
    context.beginPath()
    context.rect(LEFT, TOP - 4, right - LEFT + 4, height - BOTTOM - TOP + 8)
    context.clip()
    for (const lane of shown) this.run(context, lane, x, y, head, colours)
    context.restore()
    context.strokeStyle = colours.ink
    context.lineWidth = 1
    line(context, [head, head], [TOP - 4, height - BOTTOM])
    names(context, shown, this.clock.passes, x, y, {right, bottom: height - BOTTOM}, width, colours)
    if (!this.clock.playing) this.surface.name = `Convergence: ${this.race.up} over ${this.race.across}. ${said(shown, this.clock.passes)}`
  }

  /**
   * One run: its bound, its curve, faint beyond the playhead, and its markers.
   * @param {CanvasRenderingContext2D} context @param {Lane} lane
   * @param {(value: number) => number} x @param {(value: number) => number} y
   * @param {number} head @param {Colours} colours
   */
  run(context, lane, x, y, head, colours) {
    const colour = colourOf(lane.look, colours), {xs, ys} = curve(lane)
    const across = xs.map(x), up = ys.map((each) => (each === null ? null : y(each)))
    context.strokeStyle = colour
    context.lineJoin = "round"
    if (lane.promise) {
      context.lineWidth = 1.2
      context.setLineDash(BOUND)
      line(context, lane.promise.passes.map(x), lane.promise.error.map((each) => (each === null ? null : y(each))))
    }
    context.setLineDash(lane.look.dash)
    context.lineWidth = 2.2
    const done = across.filter((each) => each <= head + 1e-6).length
    context.globalAlpha = AHEAD
    line(context, across.slice(Math.max(0, done - 1)), up.slice(Math.max(0, done - 1)))
    context.globalAlpha = 1
    line(context, across.slice(0, done), up.slice(0, done))
    context.setLineDash([])
    context.fillStyle = colour
    context.strokeStyle = colours.paper
    context.lineWidth = 1
    let last = -Infinity
    for (let k = 0; k < done; k++) {
      const height = up[k], end = k === done - 1
      if (height === null || (!end && (across[k] - last < APART || across[done - 1] - across[k] < 14))) continue
      mark(context, lane.look.marker, across[k], height, end ? 5 : 3.6)
      last = across[k]
    }
  }
}

/**
 * The frame that the curves set: bounds are clipped to it.
 * @param {Lane[]} lanes
 */
export function extent(lanes) {
  const curves = lanes.map(curve)
  const heights = curves.flatMap(({ys}) => ys).filter((each) => each !== null && each > 0)
  const end = Math.max(0, ...curves.map(({xs}) => xs.at(-1) ?? 0))
  if (!heights.length || !(end > 0)) return null
  const low = Math.min(.../** @type {number[]} */ (heights)), high = Math.max(.../** @type {number[]} */ (heights))
  return {end, low: 10 ** Math.floor(Math.log10(low) + 1e-9), high: Math.max(high * 1.6, low * 10)}
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {(value: number) => number} x @param {(value: number) => number} y
 * @param {{end: number, low: number, high: number}} frame
 * @param {{right: number, bottom: number, height: number}} box @param {Race} race @param {Colours} colours
 */
function axes(context, x, y, frame, {right, bottom, height}, race, colours) {
  context.font = `12px ${colours.font}`
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
}

/**
 * Names beside the ends of the curves, so far as they are drawn.
 * @param {CanvasRenderingContext2D} context @param {Lane[]} lanes @param {number} passes
 * @param {(value: number) => number} x @param {(value: number) => number} y @param {{right: number, bottom: number}} box
 * @param {number} width @param {Colours} colours
 */
function names(context, lanes, passes, x, y, {right, bottom}, width, colours) {
  if (width - right < LABELS) return
  const here = lanes.map((lane) => ({lane, error: at(lane, passes).error})).filter(({error}) => error !== null)
  const heights = spread(here.map(({error}) => y(/** @type {number} */ (error))), 15, TOP + 4, bottom - 4)
  context.font = `600 12px ${colours.font}`
  context.textAlign = "left"
  context.textBaseline = "middle"
  here.forEach(({lane}, k) => {
    const name = lane.label.split(",")[0], from = x(Math.min(passes, lane.passes.at(-1) ?? 0)) + 9
    context.lineWidth = 3
    context.strokeStyle = colours.paper
    context.strokeText(name, from, heights[k], LABELS - 4)
    context.fillStyle = colourOf(lane.look, colours)
    context.fillText(name, from, heights[k], LABELS - 4)
  })
  context.textBaseline = "alphabetic"
}

/**
 * @param {Lane[]} lanes @param {number} passes
 */
function said(lanes, passes) {
  const each = lanes.map((lane) => `${lane.label} ${number(at(lane, passes).error)}`)
  return `At ${number(passes)} passes: ${each.join("; ")}.`
}
