/* What was repaired, with its undo; why something was refused, or cannot run. */

import {button, element} from "../parts/dom.js"

/** @param {any} tell */
export function messageLine(tell) {
  const words = element("span", {})
  const undo = button("Undo", "Take the last change back, with its repairs", () => tell.undo())
  const close = button("×", "", () => { node.hidden = true })
  close.setAttribute("aria-label", "Close")
  const node = element("div", {className: "message", hidden: true}, words, undo, close)
  words.setAttribute("role", "status")
  let refused = "", last = ""

  /** @param {any} content */
  const update = ({told, undo: can, why_not}) => {
    const text = [refused, ...told, why_not].filter(Boolean).join(" ")
    refused = ""
    undo.hidden = !can
    if (text === last && node.hidden) return // closed by the person
    last = text
    words.textContent = text
    node.hidden = !text && !can
    if (!text && can) words.textContent = "The story has been left."
  }
  /** @param {string} why @param {boolean} follows Whether the choices as they are come after it. */
  const refuse = (why, follows) => {
    refused = follows ? why : ""
    last = ""
    words.textContent = why
    undo.hidden = true
    node.hidden = false
  }
  return {node, update, refuse}
}
