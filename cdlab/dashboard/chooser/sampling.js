/* The row "Sampling": one for both sides as chips with their probabilities; another for each side under "more". */

import {element} from "../parts/dom.js"
import {explain, term} from "../parts/explain.js"
import {bars} from "./thumbnail.js"

const BARS = [48, 20]
const SIDES = [["primal_sampling", "primal"], ["dual_sampling", "dual"], ["against", "each method again with"]]

/** @param {any} layout @param {any} tell */
export function samplingRow(layout, tell) {
  const both = (/** @type {string} */ name) => tell.set({dual_sampling: name, primal_sampling: name})
  const about = new Map(layout.samplings.map((/** @type {any} */ {name, words}) => [name, words]))
  const chips = layout.chips.map((/** @type {string} */ name) => chipOf(name, about.get(name), both))
  const selects = SIDES.map(([name, label]) => {
    const input = element("select", {id: `chooser-${name}`, onchange: () => tell.set({[name]: input.value})})
    const names = layout.samplings.map((/** @type {any} */ each) => each.name)
    const options = name === "against" ? [layout.nobody, ...names] : names
    input.append(...options.map((/** @type {string} */ each) =>
      element("option", {value: each, textContent: each.replace("_", " "), title: about.get(each) ?? ""})))
    return {name, input, node: element("label", {}, `${label} `, input)}
  })
  const more = element("details", {className: "more"}, element("summary", {textContent: "more"}),
    element("div", {className: "menu stack"}, ...selects.map(({node}) => node)))
  const facts = element("span", {className: "facts"})
  const group = element("div", {className: "chips"}, ...chips.map((/** @type {any} */ {node}) => node))
  group.setAttribute("role", "radiogroup")
  group.setAttribute("aria-label", "Both sides draw by")
  const name = element("span", {className: "name"}, term("sampling", layout.terms.sampling))
  const node = element("section", {className: "row sampling"}, name, group, more, facts)
  node.setAttribute("role", "region")
  node.setAttribute("aria-label", "Sampling")

  /** @param {any} content @param {(name: string) => boolean} fresh */
  const update = ({values}, fresh) => {
    const {primal_sampling: primal, dual_sampling: dual, against} = values
    if (fresh("dual_sampling") && fresh("primal_sampling")) {
      for (const chip of chips) chip.check(primal === dual && chip.name === dual)
    }
    for (const {name, input} of selects) if (fresh(name)) input.value = values[name]
    const apart = primal === dual ? (layout.chips.includes(dual) ? "" : dual) : `primal ${primal}, dual ${dual}`
    const again = against === layout.nobody ? "" : `and again with ${against}`
    facts.textContent = [apart, again].filter(Boolean).join(", ").replaceAll("_", " ")
    more.classList.toggle("within", Boolean(facts.textContent))
  }
  /** @param {Record<string, number[]>} heights */
  const draw = (heights) => { for (const chip of chips) chip.draw(heights[chip.name]) }
  return {node, update, draw}
}

/** @param {string} name @param {string} words @param {(name: string) => void} choose */
function chipOf(name, words, choose) {
  const input = element("input", {type: "radio", name: "chooser-sampling", value: name, onchange: () => choose(name)})
  const canvas = element("canvas", {width: BARS[0], height: BARS[1], className: "bars"})
  canvas.setAttribute("aria-hidden", "true")
  canvas.hidden = true
  const node = element("label", {className: "chip"}, input, element("span", {textContent: name}), canvas)
  explain(input, words, node)
  const draw = (/** @type {number[] | undefined} */ heights) => {
    canvas.hidden = !heights
    if (heights) bars(canvas, heights)
  }
  return {name, node, draw, check: (/** @type {boolean} */ on) => { input.checked = on }}
}
