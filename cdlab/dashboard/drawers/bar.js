/* The names of the drawers: pressed, one opens, and the one that was open closes. */

import {button, element} from "../parts/dom.js"

const ROOM = 0.45 // of the window, left to what stands above an open drawer

/** @param {{model: any}} component */
export function render({model}) {
  const drawers = JSON.parse(model.names).map((/** @type {string} */ name) =>
    ({name, made: button(name, "", () => model.send_msg({open: model.shown === name ? "" : name}))}))
  const node = element("div", {className: "drawers"}, ...drawers.map((/** @type {any} */ {made}) => made))
  node.setAttribute("role", "group")
  node.setAttribute("aria-label", "Details")
  const update = () => {
    for (const {name, made} of drawers) made.setAttribute("aria-expanded", String(name === model.shown))
  }
  const still = matchMedia("(prefers-reduced-motion: reduce)")
  // what was opened stands under the fold: come to it, as soon as there is something
  const come = (/** @type {number} */ tries) => {
    const {scrollHeight} = document.documentElement, top = node.getBoundingClientRect().top
    if (scrollHeight < innerHeight * 1.15 && tries) return setTimeout(() => come(tries - 1), 100)
    if (top > innerHeight * ROOM) scrollBy({top: top - innerHeight * ROOM, behavior: still.matches ? "auto" : "smooth"})
  }
  model.on("shown", () => {
    update()
    if (model.shown) come(30)
  })
  update()
  return node
}
