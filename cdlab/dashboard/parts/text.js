/* HTML that changes while it is read: explanations stay open, and the focus stays where it is. */

import {element} from "./dom.js"

/** @param {{model: any}} component */
export function render({model}) {
  const node = element("div")
  const update = () => {
    const before = [...node.querySelectorAll("details")]
    const focused = before.findIndex((each) => each.contains(node.getRootNode().activeElement))
    node.innerHTML = model.object
    for (const [k, each] of node.querySelectorAll("details").entries()) {
      each.open = before[k]?.open ?? false
      if (k === focused) each.querySelector("summary").focus()
    }
  }
  model.on("object", update)
  update()
  return node
}
