/* The region "Bound": the theorem of each side, typeset, and its value on these data. */

import {element} from "../parts/dom.js"
import {explained} from "../parts/explain.js"
import {THEOREMS} from "../parts/terms.js"
import {number} from "./formats.js"

/** @import {Bound, Theorem} from "./contract.js" */

const SMALLEST = 0.6 // of a formula's letters, to fit

export class BoundView {
  constructor() {
    this.target = element("span", {className: "facts"})
    this.body = element("div", {className: "body", tabIndex: 0})
    this.body.setAttribute("role", "group")
    this.body.setAttribute("aria-label", "Theorems")
    this.node = element("section", {className: "bound"}, element("header", {}, element("h2", {textContent: "Bound"}), this.target), this.body)
    this.node.setAttribute("role", "region")
    this.node.setAttribute("aria-label", "Bound")
    new ResizeObserver(() => this.fit()).observe(this.body)
  }

  /** A formula that is wider than its place is set smaller. */
  fit() {
    for (const formula of this.body.querySelectorAll(".formula")) {
      formula.style.fontSize = ""
      const {clientWidth, scrollWidth} = formula
      if (scrollWidth > clientWidth) formula.style.fontSize = `${parseFloat(getComputedStyle(formula).fontSize) * Math.max(SMALLEST, (0.98 * clientWidth) / scrollWidth)}px`
    }
  }

  /** @param {boolean} veiled The values would say who wins. */
  veil(veiled) {
    this.body.classList.toggle("veiled", veiled)
  }

  /** @param {Bound} data */
  set(data) {
    if (this.target.textContent !== data.target) this.target.replaceChildren(...explained(data.target, THEOREMS))
    this.body.replaceChildren(...data.theorems.map(theorem), element("p", {className: "words", textContent: data.note, hidden: !data.note}))
    this.fit()
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
