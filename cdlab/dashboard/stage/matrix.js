/* The region "Matrix": X in cells, the row or column that an update touches lit in its side's colour, and on its sides
   how often each is drawn. */

import {element} from "../parts/dom.js"
import {explained} from "../parts/explain.js"
import {NONZEROS} from "../parts/terms.js"
import {counted, number} from "./formats.js"
import {at, cellOf, drawn} from "./lanes.js"
import {sentence} from "./step_words.js"
import {colourOf, fontOf, Surface} from "./surface.js"

/** @import {Draws, Lane, Matrix, Thumbnail} from "./contract.js" */
/** @import {Colours} from "./surface.js" */

const BARS = 34 // pixels beside the matrix
const SPACE = 6
const FAINT = 0.4 // of what was touched before, while another run moves

export class MatrixView {
  constructor() {
    /** @type {Matrix | null} */
    this.data = null
    /** @type {Lane[]} */
    this.lanes = []
    this.passes = 0
    /** @type {HTMLCanvasElement | null} */
    this.image = null
    this.title = element("h2", {textContent: "Matrix"})
    this.facts = element("span", {className: "facts"})
    this.words = element("p", {className: "words"})
    this.surface = new Surface("The matrix", (...args) => this.draw(...args))
    this.node = element("section", {className: "matrix"}, element("header", {}, this.title, this.facts), this.surface.node, this.words)
    this.node.setAttribute("role", "region")
    this.node.setAttribute("aria-label", "Matrix")
  }

  /** @param {Matrix} data */
  set(data) {
    this.data = data
    const {rows, columns, nonzeros} = data.thumbnail
    const facts = `${number(rows)} × ${number(columns)}, ${counted(nonzeros, "nonzero")}`
    if (this.facts.textContent !== facts) this.facts.replaceChildren(...explained(facts, NONZEROS))
    this.recolour()
    this.say()
  }

  recolour() {
    this.image = null
    this.surface.recolour()
  }

  /**
   * @param {Lane[]} lanes @param {number} passes
   */
  move(lanes, passes) {
    const before = this.lanes === lanes ? this.state() : null
    this.lanes = lanes
    this.passes = passes
    if (this.state() === before) return // most frames, between two updates
    this.say()
    this.surface.redraw()
  }

  /** What is seen depends on nothing else. */
  state() {
    return `${this.passes > 0} ${this.lanes.map((lane) => at(lane, this.passes).updates)}`
  }

  /** What is lit: the last update of each run, while they are shown one by one. */
  lit() {
    const found = []
    for (const lane of this.lanes) {
      const {updates} = at(lane, this.passes)
      if (updates) found.push({lane, updates, when: lane.steps.passes[updates - 1]})
    }
    const latest = Math.max(...found.map(({when}) => when))
    return found.map((each) => ({...each, now: each.when === latest}))
  }

  say() {
    const words = sentence(this.lanes, this.passes, this.lit())
    this.words.textContent = words || draws(this.data)
    this.surface.name = `The matrix. ${draws(this.data)} ${words}`
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} width @param {number} height @param {Colours} colours
   */
  draw(context, width, height, colours) {
    if (!this.data) return
    const {thumbnail} = this.data
    this.image ??= picture(thumbnail, colours.ink)
    const [down, across] = [this.data.dual, this.data.primal]
    const top = across ? BARS + SPACE : 1, right = down ? BARS + SPACE : 0
    const box = {x: 0, y: top, width: width - right, height: height - top}
    context.imageSmoothingEnabled = false
    context.drawImage(this.image, box.x, box.y, box.width, box.height)
    context.strokeStyle = colours.line
    context.lineWidth = 1
    context.strokeRect(box.x + 0.5, box.y - 0.5, box.width - 1, box.height)
    const lit = this.lit()
    for (const each of lit) light(context, box, thumbnail, each, colourOf(each.lane.look, colours))
    if (across) bars(context, across.cells, (k, size) => [box.x + k * size, BARS, size, -1], box.width, colours)
    if (down) bars(context, down.cells, (k, size) => [box.x + box.width + SPACE, box.y + k * size, 1, size], box.height, colours)
    for (const side of ["primal", "dual"]) {
      const lanes = lit.filter(({lane}) => lane.side === side)
      if (lanes.length && this.data[/** @type {"primal" | "dual"} */ (side)]) this.count(context, box, thumbnail, lanes[0], colours)
    }
    if (across) label(context, colours, ["p of features", across.sampling, "p of columns"], box.x, Math.max(10, colours.least - 2), box.width)
    if (down) {
      context.save()
      context.translate(width - 10, box.y)
      context.rotate(Math.PI / 2)
      label(context, colours, ["p of examples", down.sampling, "p of rows"], 0, 0, box.height)
      context.restore()
    }
  }

  /**
   * How often each cell was drawn from, in the side's colour over the bars of p.
   * @param {CanvasRenderingContext2D} context @param {{x: number, y: number, width: number, height: number}} box
   * @param {Thumbnail} thumbnail @param {{lane: Lane, updates: number, now: boolean}} each @param {Colours} colours
   */
  count(context, box, thumbnail, {lane, updates, now}, colours) {
    const dual = lane.side === "dual"
    const [lines, cells] = dual ? [thumbnail.rows, thumbnail.down] : [thumbnail.columns, thumbnail.across]
    const counts = drawn(lane.steps, updates, lines, cells), most = Math.max(4, ...counts)
    const last = cellOf(lane.steps.coordinates[updates - 1][0] ?? 0, lines, cells)
    context.fillStyle = colourOf(lane.look, colours)
    counts.forEach((count, k) => {
      if (!count) return
      context.globalAlpha = now && k === last ? 1 : 0.55
      const long = (count / most) * (BARS - 14)
      const size = (dual ? box.height : box.width) / cells, thick = Math.max(size, 2)
      if (dual) context.fillRect(box.x + box.width + SPACE, box.y + k * size, long, thick)
      else context.fillRect(box.x + k * size, BARS - long, thick, long)
    })
    context.globalAlpha = 1
  }
}

/**
 * A line across the matrix, its nonzeros strong.
 * @param {CanvasRenderingContext2D} context @param {{x: number, y: number, width: number, height: number}} box
 * @param {Thumbnail} thumbnail @param {{lane: Lane, updates: number, now: boolean}} each @param {string} colour
 */
function light(context, box, thumbnail, {lane, updates, now}, colour) {
  const dual = lane.side === "dual", k = updates - 1
  const [lines, cells, others] = dual
    ? [thumbnail.rows, thumbnail.down, thumbnail.across] : [thumbnail.columns, thumbnail.across, thumbnail.down]
  const [size, other] = dual ? [box.height / cells, box.width / others] : [box.width / cells, box.height / others]
  const thick = Math.max(size, 3)
  const touched = lane.steps.cells[k] ?? Array.from({length: others}, (_, each) => each)
  context.fillStyle = colour
  for (const line of lane.steps.coordinates[k]) {
    const start = cellOf(line, lines, cells) * size - (thick - size) / 2
    const along = (/** @type {number} */ from, /** @type {number} */ long) => dual
      ? context.fillRect(box.x + from, box.y + start, long, thick) : context.fillRect(box.x + start, box.y + from, thick, long)
    context.globalAlpha = now ? 0.28 : 0.14
    along(0, dual ? box.width : box.height)
    context.globalAlpha = now ? 1 : FAINT
    for (const cell of touched) along(cell * other, other + 0.5)
  }
  context.globalAlpha = 1
}

/**
 * @param {CanvasRenderingContext2D} context @param {number[]} cells
 * @param {(k: number, size: number) => number[]} place @param {number} length @param {Colours} colours
 */
function bars(context, cells, place, length, colours) {
  const most = Math.max(...cells), size = length / cells.length
  context.fillStyle = colours.quiet
  context.globalAlpha = 0.45
  cells.forEach((p, k) => {
    const long = Math.max((p / most) * (BARS - 14), p > 0 ? 1 : 0), [x, y, a, b] = place(k, size)
    if (b === -1) context.fillRect(x, y - long, a, long)
    else context.fillRect(x, y, long, b)
  })
  context.globalAlpha = 1
}

/**
 * What the bars are, and by which sampling: both, the first, a shorter word or its letter, as there is room.
 * @param {CanvasRenderingContext2D} context @param {Colours} colours
 * @param {[string, string, string]} words @param {number} x @param {number} y @param {number} room
 */
function label(context, colours, [what, sampling, short], x, y, room) {
  context.fillStyle = colours.quiet
  context.font = fontOf(11, colours)
  context.textAlign = "left"
  const fits = (/** @type {string} */ text) => context.measureText(text).width <= room
  context.fillText([`${what}: ${sampling}`, what, short].find(fits) ?? what[0], x, y)
}

/**
 * The cells as an image, as dark as their largest entry.
 * @param {Thumbnail} thumbnail @param {string} ink
 */
function picture(thumbnail, ink) {
  const {down, across} = thumbnail, levels = atob(thumbnail.levels)
  const image = /** @type {HTMLCanvasElement} */ (element("canvas", {width: across, height: down}))
  const context = /** @type {CanvasRenderingContext2D} */ (image.getContext("2d"))
  context.fillStyle = ink
  context.fillRect(0, 0, 1, 1)
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
  const pixels = context.createImageData(across, down)
  for (let k = 0; k < levels.length; k++) pixels.data.set([red, green, blue, 0.8 * levels.charCodeAt(k)], 4 * k)
  context.putImageData(pixels, 0, 0)
  return image
}

/** @param {Matrix | null} data */
function draws(data) {
  if (!data) return ""
  const words = (/** @type {string} */ what, /** @type {Draws | null} */ side) => {
    if (!side) return []
    const {least, most, never, sampling} = side
    const alike = most - least < 1e-9 * most
    const empty = never ? ` (${number(never)} empty: never)` : ""
    return [`${what}: ${sampling}, ${alike ? "all alike" : `likeliest to least ${number(most / least)} : 1`}${empty}`]
  }
  const both = [...words("examples", data.dual), ...words("features", data.primal)]
  return both.length ? `Drawn ${both.join("; ")}.` : ""
}
