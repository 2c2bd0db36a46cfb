/* Words that explain themselves: on focus, on touch and under the pointer. */

import {element, marked} from "./dom.js"

const REST = 250 // ms that a pointer rests before words appear under it
const NEAR = 6, EDGE = 8 // pixels to what is explained, and to the edges of the window
let count = 0

/**
 * Explain something while it has the focus or the pointer, or has been touched. The words lie above the whole page: no
 * box cuts them off, and they stand inside the window.
 * @param {HTMLElement} target Gets the focus. @param {string} words
 * @param {HTMLElement} [around] Beside it the words appear.
 */
export function explain(target, words, around = target) {
  const tip = element("span", {className: "tip", id: `term-${count++}`, textContent: words, popover: "manual"})
  tip.setAttribute("role", "tooltip")
  let waiting = 0
  const place = () => {
    const at = around.getBoundingClientRect(), own = tip.getBoundingClientRect()
    const zoom = own.width / tip.offsetWidth || 1 // of a projector
    const top = at.bottom + NEAR + own.height + EDGE <= innerHeight ? at.bottom + NEAR : at.top - NEAR - own.height
    tip.style.left = `${Math.max(EDGE, Math.min(at.left, innerWidth - own.width - EDGE)) / zoom}px`
    tip.style.top = `${Math.max(EDGE, top) / zoom}px`
  }
  const hide = () => {
    clearTimeout(waiting)
    if (!tip.isConnected) return
    tip.remove()
    target.removeAttribute("aria-describedby")
    removeEventListener("scroll", place, true)
    removeEventListener("pointerdown", elsewhere, true)
    removeEventListener("keydown", escaped, true)
  }
  const elsewhere = (/** @type {Event} */ event) => { if (!event.composedPath().includes(around)) hide() }
  const escaped = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return
    event.preventDefault() // for what else Escape leaves: words first
    hide()
  }
  const show = () => {
    clearTimeout(waiting)
    if (tip.isConnected || !around.isConnected) return
    around.after(tip)
    tip.showPopover()
    target.setAttribute("aria-describedby", tip.id)
    place()
    addEventListener("scroll", place, true)
    addEventListener("pointerdown", elsewhere, true)
    addEventListener("keydown", escaped, true)
  }
  target.addEventListener("focus", show)
  target.addEventListener("blur", hide)
  around.addEventListener("pointerenter", ({pointerType}) => { waiting = setTimeout(show, pointerType === "mouse" ? REST : 0) })
  around.addEventListener("pointerleave", ({pointerType}) => { if (pointerType === "mouse") hide() })
}

/**
 * A word with its explanation.
 * @param {string} text @param {string} words
 * @param {HTMLElement} [around] What else a pointer may rest on, which holds the word.
 */
export function term(text, words, around) {
  const word = element("button", {type: "button", className: "word"}, ...marked(text))
  explain(word, words, around)
  return element("span", {className: "term"}, word)
}

/**
 * A text in which each of these terms is explained where it first stands.
 * @param {string} text @param {Record<string, string>} terms
 * @returns {(string | HTMLElement)[]}
 */
export function explained(text, terms) {
  const places = Object.keys(terms).map((word) => ({word, at: text.search(new RegExp(`\\b${word}\\b`))}))
  const nodes = []
  let from = 0
  for (const {word, at} of places.filter(({at}) => at >= 0).sort((a, b) => a.at - b.at)) {
    nodes.push(text.slice(from, at), term(word, terms[word]))
    from = at + word.length
  }
  return [...nodes, text.slice(from)]
}
