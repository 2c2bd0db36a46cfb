/* Words that explain themselves: on focus, on touch and under the pointer. */

import {element} from "../parts/dom.js"

let count = 0

/**
 * A word with its explanation, which shows while the word has focus or the pointer.
 * @param {string} text @param {string} words
 */
export function term(text, words) {
  const tip = element("span", {className: "tip", id: `term-${count++}`, textContent: words})
  tip.setAttribute("role", "tooltip")
  const word = element("button", {type: "button", className: "word", textContent: text})
  word.setAttribute("aria-describedby", tip.id)
  word.onkeydown = (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") word.blur() }
  return element("span", {className: "term"}, word, tip)
}
