/* The region "Convergence": the curves of all runs up to the playhead, and the bounds of their theorems. */

import {element} from "../parts/dom.js"
import {Backdrop} from "./backdrop.js"
import {ahead, axes, BOTTOM, done, LABELS, LEFT, MARGIN, names, RING, TOP} from "./curve_lines.js"
import {number} from "./formats.js"
import {at, curve} from "./lanes.js"
import {Legend} from "./legend.js"
import {line} from "./marks.js"
import {fill} from "./numbers.js"
import {linear, logarithmic} from "./scales.js"
import {fontOf, Surface, zoomOf} from "./surface.js"

/** @import {Clock} from "./clock.js" */
/** @import {Lane, Race} from "./contract.js" */
/** @import {Colours} from "./surface.js" */

const TELL = 80 // ms between two values of a legend in motion

export class CurvesView {
  /** @param {Clock} clock */
  constructor(clock) {
    this.clock = clock
    /** @type {Race | null} */
    this.race = null
    this.frame = extent([])
    this.hidden = false // what lies beyond the playhead
    this.told = 0 // when the legend last said where the runs are
    this.backdrop = new Backdrop()
    /** @type {Set<string>} */
    this.muted = new Set()
    this.legend = new Legend((label) => {
      if (!this.muted.delete(label)) this.muted.add(label)
      this.backdrop.forget()
      this.surface.redraw()
      this.legend.show(this.lanes, this.muted, clock.passes)
    })
    this.surface = new Surface("Convergence", (...args) => this.draw(...args))
    this.stale = element("p", {className: "stale"})
    this.stale.setAttribute("role", "status")
    this.table = element("div", {className: "numbers", hidden: true, tabIndex: 0})
    this.opener = element("button", {type: "button", className: "opener", textContent: "table", onclick: () => this.turn()})
    this.opener.setAttribute("aria-expanded", "false")
    const header = element("header", {}, element("h2", {textContent: "Convergence"}), this.opener)
    this.body = element("div", {className: "body"}, this.surface.node, this.table, this.stale)
    this.node = element("section", {className: "curves"}, header, this.legend.node, this.body)
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
    this.backdrop.forget()
    this.legend.set(this.lanes, race?.target ?? 0)
    if (!this.table.hidden && race) fill(this.table, race)
    this.move()
  }

  /** @param {string} stale */
  age(stale) {
    this.stale.textContent = stale
    this.node.classList.toggle("old", Boolean(stale))
  }

  /**
   * Whether what lies beyond the playhead is to be waited for.
   * @param {boolean} hidden
   */
  hide(hidden) {
    if (hidden === this.hidden) return
    this.hidden = hidden
    this.backdrop.forget()
    this.surface.redraw()
  }

  move() {
    if (!this.clock.playing || performance.now() - this.told > TELL) {
      this.told = performance.now()
      this.legend.show(this.lanes, this.muted, this.clock.passes)
    }
    this.surface.redraw()
  }

  turn() {
    this.table.hidden = !this.table.hidden
    this.surface.node.hidden = !this.table.hidden
    this.opener.textContent = this.table.hidden ? "table" : "picture"
    this.opener.setAttribute("aria-expanded", String(!this.table.hidden))
    if (!this.table.hidden && this.race) fill(this.table, this.race)
  }

  /** Drag the playhead in the picture. A finger that swipes a strip of pictures only taps: see stage.css. */
  grab() {
    const {canvas} = this.surface
    const swipes = (/** @type {PointerEvent} */ {pointerType}) => pointerType === "touch" && getComputedStyle(canvas).touchAction === "auto"
    const seek = (/** @type {MouseEvent} */ event) => {
      if (!this.across) return
      this.clock.playing = false
      this.clock.seekPasses(this.across.invert((event.clientX - canvas.getBoundingClientRect().left) / zoomOf(canvas)))
    }
    canvas.onpointerdown = (event) => {
      if (!(event.buttons & 1) || swipes(event)) return
      canvas.setPointerCapture(event.pointerId)
      seek(event)
    }
    canvas.onpointermove = (event) => { if (event.buttons & 1 && !swipes(event)) seek(event) }
    canvas.onclick = seek
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
      context.font = fontOf(14, colours)
      context.textAlign = "center"
      const words = this.lanes.some(({ended}) => ended) ? "w = 0 is optimal: there is nothing to draw." : "Press Run."
      context.fillText(words, width / 2, height / 2)
      this.surface.name = `Convergence: ${words}`
      return
    }
    const x = linear(0, frame.end, LEFT, right), y = logarithmic(frame.low, frame.high, height - BOTTOM, TOP)
    this.across = x
    const {race} = this, head = x(this.clock.passes)
    const inside = (/** @type {CanvasRenderingContext2D} */ where) => {
      where.beginPath()
      where.rect(LEFT, TOP - 4, right - LEFT + RING + 1, height - BOTTOM - TOP + RING + 5)
      where.clip()
    }
    this.backdrop.under(context, colours, (behind) => {
      axes(behind, x, y, frame, {right, bottom: height - BOTTOM, width, height}, race, colours)
      inside(behind)
      for (const lane of shown) ahead(behind, lane, x, y, colours, this.hidden)
    })
    context.save()
    inside(context)
    for (const lane of shown) done(context, lane, x, y, head, colours)
    context.restore()
    context.strokeStyle = colours.ink
    context.lineWidth = 1
    line(context, [head, head], [TOP - 4, height - BOTTOM])
    names(context, shown, this.clock.passes, x, y, {right, bottom: height - BOTTOM}, width, colours)
    if (!this.clock.playing) this.surface.name = `Convergence: ${this.race.up} over ${this.race.across}. ${said(shown, this.clock.passes)}`
  }
}

/**
 * The frame that the curves set: bounds are clipped to it, and earlier races at its right end.
 * @param {Lane[]} lanes
 */
export function extent(lanes) {
  const curves = lanes.map(curve), own = lanes.filter(({earlier}) => !earlier).map(curve)
  const heights = curves.flatMap(({ys}) => ys).filter((each) => each !== null && each > 0)
  const end = Math.max(0, ...own.map(({xs}) => xs.at(-1) ?? 0))
  if (!heights.length || !(end > 0)) return null
  const low = Math.min(.../** @type {number[]} */ (heights)), high = Math.max(.../** @type {number[]} */ (heights))
  return {end, low: 10 ** Math.floor(Math.log10(low) + 1e-9), high: Math.max(high * 1.6, low * 10)}
}

/**
 * @param {Lane[]} lanes @param {number} passes
 */
function said(lanes, passes) {
  const each = lanes.map((lane) => {
    const there = lane.reached !== null && lane.reached <= passes + 1e-9 ? `, gap at the target after ${number(lane.reached)}` : ""
    return `${lane.label} ${number(at(lane, passes).error)}${there}`
  })
  return `At ${number(passes)} passes: ${each.join("; ")}.`
}
