/* The region "Bound": the theorem of each side, typeset, and its value on these data. */

import {element} from "../parts/dom.js"
import {explained} from "../parts/explain.js"
import {LAMBDA} from "../parts/terms.js"
import {number} from "./formats.js"

/** @import {Bound, Theorem} from "./contract.js" */

export class BoundView {
  constructor() {
    this.target = element("span", {className: "facts"})
    this.body = element("div", {className: "body", tabIndex: 0})
    this.body.setAttribute("role", "group")
    this.body.setAttribute("aria-label", "Theorems")
    this.node = element("section", {className: "bound"}, element("header", {}, element("h2", {textContent: "Bound"}), this.target), this.body)
    this.node.setAttribute("role", "region")
    this.node.setAttribute("aria-label", "Bound")
  }

  /** @param {boolean} veiled The values would say who wins. */
  veil(veiled) {
    this.body.classList.toggle("veiled", veiled)
  }

  /** @param {Bound} data */
  set(data) {
    if (this.target.textContent !== data.target) this.target.replaceChildren(...explained(data.target, LAMBDA))
    this.body.replaceChildren(...data.theorems.map(theorem))
  }
}

/** @param {Theorem} data */
function theorem(data) {
  const head = element("div", {className: "head"}, element("span", {className: "run", textContent: data.label}))
  const parts = [head]
  if (data.formula) {
    const value = data.value === null ? "= ∞" : `= ${number(data.value)} passes here`
    head.append(element("strong", {textContent: value}))
    parts.push(element("div", {className: "formula", innerHTML: data.formula}))
    const meanings = data.meanings.map(([symbol, words]) => element("li", {}, element("span", {innerHTML: symbol}), `: ${words}`))
    parts.push(element("details", {}, element("summary", {textContent: "explain"}), element("p", {textContent: data.words}), element("ul", {}, ...meanings)))
  } else parts.push(element("p", {className: "words", textContent: data.words}))
  const made = element("article", {}, ...parts)
  made.style.setProperty("--light", data.look.light)
  made.style.setProperty("--dark", data.look.dark)
  return made
}
