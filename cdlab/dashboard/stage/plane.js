/* The two-variable view: level sets of P with the paths of both sides, and beside it P falling and D rising. */

import {element} from "../parts/dom.js"
import {explained} from "../parts/explain.js"
import {PLANE} from "../parts/terms.js"
import {ticks} from "./clock.js"
import {counted, number} from "./formats.js"
import {upTo} from "./lanes.js"
import {line, mark} from "./marks.js"
import {linear} from "./scales.js"
import {colourOf, fontOf, Surface} from "./surface.js"

/** @import {Path, Plane} from "./contract.js" */
/** @import {Colours} from "./surface.js" */

const STRIP = 0.36 // of the width, for the values
const SPACE = 14
const RECENT = 14 // steps drawn strongly
const DEEPEST = 1.5 // D is shown so far below P*, in units of P(0) - P*
const CAPTION = 18 // pixels under both pictures

export class PlaneView {
  constructor() {
    /** @type {Plane | null} */
    this.data = null
    /** @type {number[]} */
    this.ticks = [0]
    this.passes = 0
    this.facts = element("span", {className: "facts"})
    this.words = element("p", {className: "words"})
    this.surface = new Surface("Two variables", (...args) => this.draw(...args))
    const caption = element("figcaption", {}, element("h2", {textContent: "Two variables"}), this.facts)
    this.node = element("figure", {className: "plane"}, caption, this.surface.node, this.words)
    this.node.setAttribute("aria-label", "Two variables")
  }

  /**
   * @param {Plane | null} data @param {boolean} raced
   */
  set(data, raced) {
    this.data = data
    this.ticks = ticks(data?.paths ?? [])
    const facts = data ? data.title : raced ? "none for this loss and these methods" : "after Run"
    if (this.facts.textContent !== facts) this.facts.replaceChildren(...explained(facts, PLANE))
    this.passes = this.ticks.at(-1) ?? 0
    this.say()
    this.surface.redraw()
  }

  /**
   * With the clock of the race: it has a tick for each update of its own.
   * @param {number} tick @param {boolean} ended
   */
  move(tick, ended) {
    const passes = this.ticks[ended ? this.ticks.length - 1 : Math.min(tick, this.ticks.length - 1)]
    if (passes === this.passes) return
    this.passes = passes
    this.say()
    this.surface.redraw()
  }

  say() {
    const paths = this.data?.paths ?? []
    const gaps = paths.map(({label, steps, start}) => {
      const done = upTo(steps.passes, this.passes)
      const [P, D] = done ? [steps.primal[done - 1], steps.dual[done - 1]] : start
      return `${label.split(",")[0]}: P − D = ${P === null || D === null ? "unknown" : number(Math.max(0, P - D), 2)} after ${counted(done, "step")}`
    })
    this.words.textContent = gaps.length ? `${gaps.join("; ")}.` : ""
    this.surface.name = `Level sets of P and the paths of ${counted(paths.length, "method")}; P falls and D rises. ${this.words.textContent}`
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} width @param {number} height @param {Colours} colours
   */
  draw(context, width, height, colours) {
    const {data} = this
    if (!data) return
    const split = Math.round(width * (1 - STRIP)) - SPACE
    const [left, right, bottom, top] = data.frame
    const x = linear(left, right, 0, split), y = linear(bottom, top, height - CAPTION, 0)
    context.save()
    context.beginPath()
    context.rect(0, 0, split, height - CAPTION)
    context.clip()
    contours(context, data, x, y, colours)
    for (const path of data.paths) this.path(context, path, x, y, colours)
    context.restore()
    context.strokeStyle = colours.line
    context.lineWidth = 1
    context.strokeRect(0.5, 0.5, split - 1, height - CAPTION - 1)
    context.fillStyle = colours.quiet
    context.font = fontOf(11, colours)
    context.textAlign = "left"
    context.fillText("w₁ → , w₂ ↑ ; + optimum", 2, height - 4)
    this.values(context, split + SPACE, width, height - CAPTION, colours)
    context.fillStyle = colours.quiet
    context.textAlign = "right"
    context.fillText(`${number(this.passes, 2)} of ${counted(this.ticks.at(-1) ?? 0, "pass")}`, width - 2, height - 4)
  }

  /**
   * @param {CanvasRenderingContext2D} context @param {Path} path
   * @param {(value: number) => number} x @param {(value: number) => number} y @param {Colours} colours
   */
  path(context, path, x, y, colours) {
    const done = upTo(path.steps.passes, this.passes), points = path.w.slice(0, done + 1)
    const colour = colourOf(path.look, colours)
    context.strokeStyle = colour
    context.fillStyle = colour
    context.lineJoin = "round"
    for (const [from, opacity] of [[0, 0.4], [Math.max(0, points.length - RECENT), 1]]) {
      const part = points.slice(from)
      context.globalAlpha = opacity
      context.lineWidth = 1.6
      line(context, part.map(([a]) => x(a)), part.map(([, b]) => y(b)))
      for (const [a, b] of part.slice(0, -1)) context.fillRect(x(a) - 1.2, y(b) - 1.2, 2.4, 2.4)
    }
    const [a, b] = points[points.length - 1]
    context.strokeStyle = colours.paper
    context.lineWidth = 1.5
    mark(context, path.look.marker, x(a), y(b), 5)
  }

  /**
   * P above, D below, and the gap between them.
   * @param {CanvasRenderingContext2D} context
   * @param {number} left @param {number} right @param {number} height @param {Colours} colours
   */
  values(context, left, right, height, colours) {
    const {data} = this
    if (!data) return
    const high = Math.max(...data.paths.map(({start: [P]}) => P)), deep = data.best - DEEPEST * (high - data.best)
    const low = Math.max(Math.min(...data.paths.map(({start: [, D]}) => D ?? deep)), deep), room = 0.12 * (high - low) || 1
    const x = linear(0, this.ticks.at(-1) ?? 1, left, right - 12)
    const y = linear(Math.min(low, data.best) - room, high + room, height, 0)
    context.save()
    context.beginPath()
    context.rect(left, 0, right - left, height)
    context.clip()
    context.strokeStyle = colours.quiet
    context.lineWidth = 1
    context.setLineDash([2, 3])
    line(context, [left, right], [y(data.best), y(data.best)])
    context.setLineDash([])
    for (const path of data.paths) between(context, path, this.passes, x, y, colourOf(path.look, colours))
    context.restore()
    context.strokeStyle = colours.line
    context.strokeRect(left + 0.5, 0.5, right - left - 1, height - 1)
    context.fillStyle = colours.quiet
    context.font = fontOf(12, colours, "italic")
    context.textAlign = "left"
    context.fillText("P", left + 5, Math.max(12, y(high) - 4))
    context.fillText("D", left + 5, Math.min(height - 4, y(low) + 13))
    context.textAlign = "right"
    context.fillText("P*", right - 4, y(data.best) - 4)
  }
}

/**
 * @param {CanvasRenderingContext2D} context @param {Plane} data
 * @param {(value: number) => number} x @param {(value: number) => number} y @param {Colours} colours
 */
function contours(context, data, x, y, colours) {
  context.strokeStyle = colours.quiet
  for (const {height, lines} of data.levels) {
    context.lineWidth = height === 1 ? 1.4 : 0.8
    context.globalAlpha = 0.45
    for (const points of lines) line(context, points.map(([a]) => x(a)), points.map(([, b]) => y(b)))
  }
  context.globalAlpha = 1
  const [a, b] = data.optimum
  context.strokeStyle = colours.ink
  context.lineWidth = 1.6
  line(context, [x(a) - 5, x(a) + 5], [y(b), y(b)])
  line(context, [x(a), x(a)], [y(b) - 5, y(b) + 5])
}

/**
 * @param {CanvasRenderingContext2D} context @param {Path} path @param {number} passes
 * @param {(value: number) => number} x @param {(value: number) => number} y @param {string} colour
 */
function between(context, {steps, start}, passes, x, y, colour) {
  const done = upTo(steps.passes, passes)
  const xs = [0, ...steps.passes.slice(0, done)].map(x)
  const above = [start[0], ...steps.primal.slice(0, done)].map((P) => (P === null ? null : y(P)))
  const below = [start[1], ...steps.dual.slice(0, done)].map((D) => (D === null ? null : y(D)))
  if (![...above, ...below].includes(null)) {
    context.fillStyle = colour
    context.globalAlpha = 0.12
    context.beginPath()
    for (const [k, each] of xs.entries()) context.lineTo(each, above[k] ?? 0)
    for (let k = done; k >= 0; k--) context.lineTo(xs[k], below[k] ?? 0)
    context.fill()
    context.globalAlpha = 1
  }
  context.strokeStyle = colour
  context.lineWidth = 1.6
  line(context, xs, above)
  line(context, xs, below)
}
