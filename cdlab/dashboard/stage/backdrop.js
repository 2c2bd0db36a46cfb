/* What does not move in a picture, drawn once and laid under each frame. */

/** @import {Colours} from "./surface.js" */

export class Backdrop {
  constructor() {
    /** @type {HTMLCanvasElement | null} */
    this.canvas = null
    /** @type {Colours | null} */
    this.colours = null
  }

  /** It is no longer true. */
  forget() {
    this.canvas = null
  }

  /**
   * Lay it under a frame; `draw` draws it, where that has not been done in this size and these colours.
   * @param {CanvasRenderingContext2D} context @param {Colours} colours
   * @param {(context: CanvasRenderingContext2D) => void} draw
   */
  under(context, colours, draw) {
    const {width, height} = context.canvas
    if (this.canvas?.width !== width || this.canvas.height !== height || this.colours !== colours) {
      this.canvas = Object.assign(document.createElement("canvas"), {width, height})
      this.colours = colours
      const own = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"))
      own.setTransform(context.getTransform())
      draw(own)
    }
    context.save()
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.drawImage(this.canvas, 0, 0)
    context.restore()
  }
}
