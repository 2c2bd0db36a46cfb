/* Markers and lines on a canvas. */

/** @type {Record<string, number[][]>} */
const CORNERS = {
  square: [[-1, -1], [1, -1], [1, 1], [-1, 1]],
  square_pin: [[-1, -1], [0, -0.4], [1, -1], [0.4, 0], [1, 1], [0, 0.4], [-1, 1], [-0.4, 0]],
  triangle_pin: [[0, -1.3], [0.25, 0.1], [1.3, 0.9], [0, 0.6], [-1.3, 0.9], [-0.25, 0.1]],
  plus: [[-0.4, -1.2], [0.4, -1.2], [0.4, -0.4], [1.2, -0.4], [1.2, 0.4], [0.4, 0.4], [0.4, 1.2], [-0.4, 1.2], [-0.4, 0.4], [-1.2, 0.4], [-1.2, -0.4], [-0.4, -0.4]],
  diamond: [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]],
  triangle: [[0, -1.2], [1.2, 0.9], [-1.2, 0.9]],
  inverted_triangle: [[0, 1.2], [1.2, -0.9], [-1.2, -0.9]],
  hex: [[-0.6, -1.1], [0.6, -1.1], [1.2, 0], [0.6, 1.1], [-0.6, 1.1], [-1.2, 0]],
  star: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((k) => {
    const angle = (k * Math.PI) / 5, r = k % 2 ? 0.6 : 1.4
    return [r * Math.sin(angle), -r * Math.cos(angle)]
  }),
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} kind @param {number} x @param {number} y @param {number} size Half of its width.
 */
export function mark(context, kind, x, y, size) {
  context.beginPath()
  const corners = CORNERS[kind]
  if (corners) for (const [a, b] of corners) context.lineTo(x + a * size, y + b * size)
  else context.arc(x, y, size, 0, 2 * Math.PI)
  context.closePath()
  context.fill()
  context.stroke()
}

/**
 * A line through points; null leaves a hole.
 * @param {CanvasRenderingContext2D} context
 * @param {(number | null)[]} xs @param {(number | null)[]} ys
 */
export function line(context, xs, ys) {
  context.beginPath()
  let drawing = false
  xs.forEach((x, k) => {
    const y = ys[k]
    if (x === null || y === null || y === undefined) drawing = false
    else if (drawing) context.lineTo(x, y)
    else {
      context.moveTo(x, y)
      drawing = true
    }
  })
  context.stroke()
}
