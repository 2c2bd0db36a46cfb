/* "+ add": a field and a list of methods under it, each with a line of plain words (the ARIA pattern of a combobox). */

import {button, element} from "../parts/dom.js"
import {moved, search} from "./search.js"

/** @import {Method} from "./search.js" */

export class MethodList {
  /** @param {Method[]} methods @param {(name: string) => void} toggle */
  constructor(methods, toggle) {
    this.methods = methods
    this.toggle = toggle
    /** @type {Record<string, string>} Why some cannot run. */
    this.reasons = {}
    /** @type {string[]} */
    this.chosen = []
    this.at = -1
    /** @type {HTMLElement[]} */
    this.options = []
    this.opener = button("+ add", "Other methods, found by what they do", () => this.open(this.box.hidden))
    this.opener.setAttribute("aria-expanded", "false")
    this.opener.setAttribute("aria-haspopup", "dialog")
    this.field = element("input", {type: "search", placeholder: "accelerated, dual", autocomplete: "off"})
    this.field.setAttribute("role", "combobox")
    this.field.setAttribute("aria-label", "Find a method by what it does")
    this.field.setAttribute("aria-controls", "chooser-methods")
    this.field.setAttribute("aria-expanded", "true")
    this.field.setAttribute("aria-autocomplete", "list")
    this.list = element("div", {className: "list", id: "chooser-methods"})
    this.list.setAttribute("role", "listbox")
    this.list.setAttribute("aria-label", "Methods")
    this.list.setAttribute("aria-multiselectable", "true")
    this.none = element("p", {className: "none"})
    this.none.setAttribute("role", "status")
    this.box = element("div", {className: "menu finder", hidden: true}, this.field, this.none, this.list)
    this.box.setAttribute("role", "dialog")
    this.box.setAttribute("aria-label", "Add a method")
    this.node = element("span", {className: "add"}, this.opener, this.box)
    this.field.oninput = () => { this.at = -1; this.draw() }
    this.field.onkeydown = (/** @type {KeyboardEvent} */ event) => this.key(event)
    this.node.addEventListener("focusout", (/** @type {FocusEvent} */ event) => {
      if (!this.node.contains(/** @type {Node | null} */ (event.relatedTarget))) this.open(false)
    })
  }

  /** @param {boolean} on */
  open(on) {
    if (on === !this.box.hidden) return
    this.box.hidden = !on
    this.opener.setAttribute("aria-expanded", String(on))
    if (!on) return
    this.field.value = ""
    this.at = -1
    this.draw()
    this.field.focus()
  }

  /** @param {string[]} chosen */
  show(chosen) {
    this.chosen = chosen
    if (!this.box.hidden) this.draw()
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Escape") {
      this.open(false)
      this.opener.focus()
    } else if (event.key === "Enter") {
      this.options[Math.max(this.at, 0)]?.click()
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      this.at = moved(this.at, this.options.length, event.key)
      this.mark()
    } else return
    event.preventDefault()
  }

  draw() {
    this.options = []
    const groups = [...search(this.methods, this.field.value)].map(([title, methods], k) => {
      const name = element("div", {className: "title", id: `chooser-group-${k}`, textContent: title})
      const group = element("div", {}, name, ...methods.map((each) => this.option(each)))
      group.setAttribute("role", "group")
      group.setAttribute("aria-labelledby", name.id)
      return group
    })
    this.list.replaceChildren(...groups)
    this.none.textContent = groups.length ? "" : "No method is described by these words."
    this.mark()
  }

  /** @param {Method} method */
  option({name, words}) {
    const why = this.reasons[name] ?? ""
    const made = element("div", {className: "option", id: `chooser-method-${name}`, onclick: () => this.toggle(name)},
      element("strong", {textContent: name}), element("span", {textContent: words}))
    if (why) made.append(element("em", {textContent: why}))
    made.classList.toggle("grey", Boolean(why))
    made.onpointerdown = (/** @type {PointerEvent} */ event) => event.preventDefault() // the field keeps the focus
    made.setAttribute("role", "option")
    made.setAttribute("aria-selected", String(this.chosen.includes(name)))
    this.options.push(made)
    return made
  }

  mark() {
    for (const [k, each] of this.options.entries()) each.classList.toggle("here", k === this.at)
    const here = this.options[this.at]
    if (here) {
      this.field.setAttribute("aria-activedescendant", here.id)
      here.scrollIntoView({block: "nearest"})
    } else this.field.removeAttribute("aria-activedescendant")
  }
}
