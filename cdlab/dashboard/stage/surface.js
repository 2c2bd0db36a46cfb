/* A canvas as large as its box, on screens of every density, with the colours of the page. */

import {element} from "../parts/dom.js"

/**
 * @typedef {{ink: string, quiet: string, line: string, paper: string, dark: boolean, font: string, least: number}} Colours
 *   `least`: no text is smaller, in pixels.
 */

const NAMES = ["ink", "quiet", "line", "paper"]

export class Surface {
  /**
   * `draw` is called with a context in CSS pixels whenever the box has changed or `redraw` was called, once a frame.
   * @param {string} name For those who do not see it.
   * @param {(context: CanvasRenderingContext2D, width: number, height: number, colours: Colours) => void} draw
   */
  constructor(name, draw) {
    this.canvas = /** @type {HTMLCanvasElement} */ (element("canvas"))
    this.canvas.setAttribute("role", "img")
    this.canvas.setAttribute("aria-label", name)
    this.node = element("div", {className: "surface"}, this.canvas)
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"))
    this.draw = draw
    this.width = this.height = 0
    /** @type {Colours | null} */
    this.colours = null
    this.due = false
    this.observer = new ResizeObserver(() => this.resize())
    this.observer.observe(this.node)
  }

  /** @param {string} name */
  set name(name) {
    this.canvas.setAttribute("aria-label", name)
  }

  resize() {
    const density = (devicePixelRatio || 1) * zoomOf(this.node)
    this.width = this.node.clientWidth
    this.height = this.node.clientHeight
    this.canvas.width = Math.round(this.width * density)
    this.canvas.height = Math.round(this.height * density)
    this.now()
  }

  /** Draw with the next frame. */
  redraw() {
    if (this.due) return
    this.due = true
    requestAnimationFrame(() => this.now())
  }

  /** The theme changed, or the page is shown larger: nothing is drawn coarser than the screen can show. */
  recolour() {
    this.colours = null
    if (this.canvas.width !== Math.round(this.width * (devicePixelRatio || 1) * zoomOf(this.node))) this.resize()
    else this.redraw()
  }

  now() {
    this.due = false
    if (!this.width || !this.height) return
    this.colours ??= coloursOf(this.node)
    const density = this.canvas.width / this.width
    this.context.setTransform(density, 0, 0, density, 0, 0)
    this.context.clearRect(0, 0, this.width, this.height)
    this.draw(this.context, this.width, this.height, this.colours)
  }

  destroy() {
    this.observer.disconnect()
  }
}

/**
 * @param {Element} node
 * @returns {Colours}
 */
function coloursOf(node) {
  const style = getComputedStyle(node)
  const [ink, quiet, line, paper] = NAMES.map((name) => style.getPropertyValue(`--stage-${name}`).trim())
  const least = Number.parseFloat(style.getPropertyValue("--cd-least")) || 0
  return {ink, quiet, line, paper, dark: style.colorScheme.includes("dark"), font: style.fontFamily, least}
}

/**
 * How much larger than its own pixels an element is seen: the page is enlarged for a projector.
 * @param {HTMLElement} node
 */
export const zoomOf = (node) => node.getBoundingClientRect().width / node.offsetWidth || 1

/**
 * The font of a text of so many pixels.
 * @param {number} size @param {Colours} colours @param {string} [style]
 */
export const fontOf = (size, colours, style = "") => `${style} ${Math.max(size, colours.least)}px ${colours.font}`

/**
 * The colour of a look on this paper.
 * @param {{light: string, dark: string}} look @param {Colours} colours
 */
export const colourOf = (look, colours) => (colours.dark ? look.dark : look.light)
