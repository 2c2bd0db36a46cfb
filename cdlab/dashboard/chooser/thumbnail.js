/* A matrix in a few cells, as dark as their largest entries. */

import {element} from "../parts/dom.js"

/** @import {Thumbnail} from "../stage/contract.js" */

/** @param {Thumbnail} picture */
export function thumbnail({down, across, levels}) {
  const canvas = element("canvas", {width: across, height: down, className: "thumbnail"})
  canvas.setAttribute("aria-hidden", "true")
  const paint = canvas.getContext("2d"), image = paint.createImageData(across, down)
  const bytes = atob(levels)
  for (let k = 0; k < bytes.length; k++) image.data[4 * k + 3] = bytes.charCodeAt(k) // dark by opacity: see the sheet
  paint.putImageData(image, 0, 0)
  return canvas
}

/**
 * Probabilities as bars.
 * @param {any} canvas @param {number[]} heights
 */
export function bars(canvas, heights) {
  const paint = canvas.getContext("2d"), {width, height} = canvas
  paint.clearRect(0, 0, width, height)
  const top = Math.max(...heights, 1e-300), each = width / heights.length
  heights.forEach((value, k) => {
    const tall = Math.max(1, (height - 1) * value / Math.max(top, 2)) // uniform, 1 everywhere, is half as high
    paint.fillRect(Math.floor(k * each), height - tall, Math.max(1, Math.ceil(each) - (each > 3 ? 1 : 0)), tall)
  })
}
