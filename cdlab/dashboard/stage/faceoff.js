/* The region "Face-off": C_P and C_D as bars made of their lines, T_P against T_D on a balance, and what came of it. */

import {button, drawing, element, marked} from "../parts/dom.js"
import {term} from "../parts/explain.js"
import {SUMS} from "../parts/terms.js"
import {number, times} from "./formats.js"

/** @import {FaceOff, Ratio, Side} from "./contract.js" */

/** @typedef {"primal" | "dual"} Name */

/** @type {Record<Name, string>} */
const NAMES = {primal: "P", dual: "D"}
const STEEPEST = 11 // degrees of the beam
const FULL = 2 // powers of ten at which it is that steep

export class FaceOffView {
  /** @param {() => void} ask To see what theory says. */
  constructor(ask) {
    this.body = element("div", {className: "body"})
    this.facts = element("span", {className: "facts ratios"})
    const show = button("Show what theory says", "", () => {
      ask()
      this.node.focus()
    })
    this.veiled = element("div", {className: "ask", hidden: true}, element("p", {textContent: "Guess first: who needs fewer passes? Then theory says what it expects."}), show)
    this.node = element("section", {className: "faceoff"}, element("header", {}, element("h2", {textContent: "Face-off"}), this.facts), this.body, this.veiled)
    this.node.tabIndex = -1 // where the button was
    this.node.setAttribute("role", "region")
    this.node.setAttribute("aria-label", "Face-off")
  }

  /** @param {boolean} veiled What theory says is not to be seen before a guess. */
  veil(veiled) {
    for (const each of [this.body, this.facts]) each.classList.toggle("veiled", veiled)
    this.veiled.hidden = !veiled
  }

  /** @param {FaceOff} data */
  set(data) {
    for (const [side, look] of Object.entries(data.looks)) {
      this.node.style.setProperty(`--${side}-light`, look.light)
      this.node.style.setProperty(`--${side}-dark`, look.dark)
    }
    const {primal, dual, predicted} = data, T = predicted.value === null ? "" : `, T_P/T_D = ${number(predicted.value, 2)}`
    this.facts.replaceChildren(...(dual.C > 0 ? marked(`C_P/C_D = ${number(primal.C / dual.C, 2)}${T}`) : []))
    const most = Math.max(data.primal.C, data.dual.C)
    this.body.replaceChildren(
      bar("primal", data.primal, most), bar("dual", data.dual, most), balance(data),
      verdict("predicted", data.predicted), verdict("measured", data.measured),
      element("p", {className: "words", textContent: (data.measured ?? data.predicted).words}),
    )
  }
}

/** @param {string} side */
const lines = (side) => (side === "primal" ? "features" : "examples")

/**
 * One bar: the largest lines by themselves, then all others together.
 * @param {Name} side @param {Side} data @param {number} most
 */
function bar(side, data, most) {
  const share = (/** @type {number} */ part) => `${most > 0 ? (100 * part) / most : 0}%`
  const parts = data.parts.map((part) => element("i", {style: `width: ${share(part)}`}))
  const rest = element("i", {className: "rest", style: `width: ${share(data.rest)}`})
  const track = element("div", {className: "track"}, ...parts, rest)
  const largest = data.C > 0 ? (100 * (data.parts[0] ?? 0)) / data.C : 0
  track.setAttribute("role", "img")
  const words = `C_${NAMES[side]} = ${number(data.C)}, summed over ${number(data.lines)} ${lines(side)}; the largest makes ${number(largest, 2)}% of it`
  track.setAttribute("aria-label", words)
  const row = element("div", {className: `bar ${side}`}, track, element("span", {className: "value", textContent: number(data.C)}))
  row.prepend(term(`C_${NAMES[side]}`, SUMS[side], row))
  return row
}

/**
 * How far the beam tilts: towards the side that has more work, in degrees; the primal hangs at the left.
 * @param {number | null} ratio T_P/T_D
 */
export function tilt(ratio) {
  if (ratio === null || !(ratio > 0)) return 0
  return Math.max(-STEEPEST, Math.min(STEEPEST, (-STEEPEST * Math.log10(ratio)) / FULL))
}

/** @param {FaceOff} data */
function balance(data) {
  const angle = tilt(data.predicted.value), arm = 104
  const ends = /** @type {Name[]} */ (["primal", "dual"]).map((side) => {
    const sign = side === "primal" ? -1 : 1, turn = (angle * Math.PI) / 180
    const x = 150 + sign * arm * Math.cos(turn), y = 30 + sign * arm * Math.sin(turn)
    const T = data[side].T
    const name = drawing("text", {x, y: y + 27, class: "name"}, "T", drawing("tspan", {class: "below", dy: 3}, NAMES[side]))
    const value = drawing("text", {x, y: y + 44, class: "size"}, T === null ? "–" : number(T))
    const cord = drawing("path", {d: `M${x} ${y}V${y + 11}`, class: "cord"})
    return drawing("g", {class: side}, cord, drawing("path", {d: `M${x - 22} ${y + 11}h44`, class: "pan"}), name, value)
  })
  const beam = drawing("path", {d: `M${150 - arm} 30H${150 + arm}`, class: "beam", transform: `rotate(${angle} 150 30)`})
  const stand = drawing("path", {d: "M150 30L143 84H157Z", class: "stand"})
  const words = data.predicted.value === null ? "The bounds do not compare the two sides." : data.predicted.words
  const picture = drawing("svg", {viewBox: "0 0 300 92", class: "balance", role: "img", "aria-label": words}, stand, beam, ...ends)
  return picture
}

/**
 * One row: the ratio as a factor for the side that it favours, and as a bar from the middle towards it.
 * @param {string} what @param {Ratio | null} ratio
 */
function verdict(what, ratio) {
  const value = ratio?.value ?? null
  const side = ratio?.winner ?? ""
  const factor = value === null ? 1 : Math.max(value, 1 / value)
  const words = value === null ? (ratio === null ? "not yet" : ratio.instead) : side ? `${ratio?.least ? "≥ " : ""}${times(factor)} for the ${side}` : "a tie"
  const reach = Math.min(1, Math.log10(factor) / FULL) * 50
  const fill = element("i", {style: `width: ${reach}%; ${value !== null && value >= 1 ? "left" : "right"}: 50%`})
  const track = element("div", {className: `middle ${side}`}, fill)
  track.setAttribute("aria-hidden", "true")
  return element("div", {className: `verdict ${side}`}, element("span", {className: "what", textContent: what}), track, element("strong", {textContent: words}))
}
