/* The row "Algorithm": a method of each side, and others that are found by what they do. */

import {button, element} from "../parts/dom.js"
import {term} from "../parts/explain.js"
import {MethodList} from "./method_list.js"
import {sides, taken} from "./search.js"

/** @param {any} layout @param {any} tell */
export function algorithmRow(layout, tell) {
  const {methods} = layout
  /** @type {string[]} */
  let chosen = []
  const choose = (/** @type {string[]} */ names) => {
    chosen = names
    draw()
    tell.set({methods: names})
  }
  /** @type {Record<string, HTMLSelectElement>} */
  const selects = {}
  for (const side of ["primal", "dual"]) {
    const input = element("select", {className: side, onchange: () => choose(taken(methods, chosen, side, input.value))})
    input.setAttribute("aria-label", `${side} method`)
    input.append(...grouped(methods.filter((/** @type {any} */ each) => each.side === side)),
      element("option", {value: "", textContent: `no ${side} method`}))
    selects[side] = input
  }
  const others = element("span", {className: "others"})
  const toggle = (/** @type {string} */ name) =>
    choose(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name])
  const list = new MethodList(methods, toggle)
  const pair = (/** @type {string} */ side) =>
    element("span", {className: "pair"}, term(side, layout.terms[side]), selects[side])
  const node = element("section", {className: "row algorithm"}, element("span", {className: "name", textContent: "algorithm"}),
    pair("primal"), element("span", {className: "quiet", textContent: "against"}), pair("dual"), others, list.node)
  node.setAttribute("role", "region")
  node.setAttribute("aria-label", "Algorithm")

  const draw = () => {
    const found = sides(methods, chosen)
    selects.primal.value = found.primal
    selects.dual.value = found.dual
    const focused = others.getRootNode().activeElement?.dataset?.name
    others.replaceChildren(...found.others.map((name) => {
      const made = button(`${name} ×`, `Take ${name} out of the race`, () => { toggle(name); list.opener.focus() })
      made.className = "other"
      made.dataset.name = name
      made.setAttribute("aria-label", `Remove ${name}`)
      return made
    }))
    if (focused) others.querySelector(`[data-name="${focused}"]`)?.focus()
    list.show(chosen)
  }
  /** @param {any} content @param {(name: string) => boolean} fresh */
  const update = (content, fresh) => {
    list.reasons = content.methods
    if (fresh("methods")) chosen = content.values.methods
    draw()
  }
  return {node, update}
}

/** Options under their groups. @param {any[]} methods */
function grouped(methods) {
  const groups = new Map()
  for (const {name, group, words} of methods) {
    if (!groups.has(group)) groups.set(group, element("optgroup", {label: group}))
    groups.get(group).append(element("option", {value: name, textContent: name, title: words}))
  }
  return [...groups.values()]
}
