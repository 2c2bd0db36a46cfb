/* The runs by name, with the way they are drawn and where they are; pressed again, one is left out of the picture. */

import {drawing, element} from "../parts/dom.js"
import {EARLIER} from "./curve_lines.js"
import {number} from "./formats.js"
import {at} from "./lanes.js"

/** @import {Lane} from "./contract.js" */

/**
 * Markers as SVG paths around (14, 7).
 * @type {Record<string, string>}
 */
const SHAPES = {
  circle: "M10 7a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z",
  square: "M10.3 3.3h7.4v7.4h-7.4Z",
  square_pin: "M10 3L14 5.4L18 3L15.6 7L18 11L14 8.6L10 11L12.4 7Z",
  triangle_pin: "M14 2L15 7.6L19 11L14 9.6L9 11L13 7.6Z",
  plus: "M12.4 2.4h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3Z",
  diamond: "M14 2L19 7L14 12L9 7Z",
  triangle: "M14 2.4L18.6 10.6H9.4Z",
  inverted_triangle: "M14 11.6L18.6 3.4H9.4Z",
  hex: "M11.6 2.8h4.8L18.8 7L16.4 11.2h-4.8L9.2 7Z",
  star: "M14 1.6L15.4 5.2L19 5.4L16.2 7.8L17.2 11.4L14 9.4L10.8 11.4L11.8 7.8L9 5.4L12.6 5.2Z",
}

export class Legend {
  /** @param {(label: string) => void} press */
  constructor(press) {
    this.press = press
    this.what = "" // is shown
    this.node = element("div", {className: "legend"})
    this.node.setAttribute("role", "group")
    this.node.setAttribute("aria-label", "Runs")
    /** @type {Map<string, {item: HTMLElement, value: HTMLElement}>} */
    this.items = new Map()
  }

  /** @param {Lane[]} lanes @param {number} target */
  set(lanes, target) {
    const what = JSON.stringify([target, lanes.map(({label, look, note, promise, reached}) => [label, look, note, promise !== null, reached !== null])])
    if (what === this.what) return // a race that grows
    this.what = what
    this.items.clear()
    const made = lanes.map((lane) => {
      const value = element("span", {className: "value"})
      const item = element("button", {type: "button", onclick: () => this.press(lane.label)}, sample(lane), element("span", {textContent: lane.label}), value)
      item.style.setProperty("--light", lane.look.light)
      item.style.setProperty("--dark", lane.look.dark)
      item.classList.toggle("earlier", lane.earlier)
      item.title = lane.note ? `No bound: ${lane.note}` : "Show or leave out"
      this.items.set(lane.label, {item, value})
      return item
    })
    const keys = []
    if (lanes.some(({promise}) => promise)) keys.push(key(28, drawing("path", {d: "M0 7H28", class: "promise"}), "bound, on average"))
    if (lanes.some(({reached}) => reached !== null)) keys.push(key(14, drawing("circle", {cx: 7, cy: 7, r: 5, class: "ring"}), `gap ≤ ${number(target)}`))
    // where there is no room for their names, at least which race the pale curves are of
    const before = [...new Set(lanes.filter(({earlier}) => earlier).map(({label}) => label.split(": ")[0]))]
    const pale = element("span", {className: "key pale", hidden: !before.length, textContent: `pale: ${before.join("; ")}`})
    this.node.replaceChildren(...made, ...keys, pale)
  }

  /**
   * @param {Lane[]} lanes @param {Set<string>} muted @param {number} passes
   */
  show(lanes, muted, passes) {
    for (const lane of lanes) {
      const found = this.items.get(lane.label)
      if (!found) continue
      found.item.setAttribute("aria-pressed", String(!muted.has(lane.label)))
      const {gap, error} = at(lane, passes), words = number(gap ?? error, 2)
      found.value.classList.toggle("gap", gap !== null)
      if (found.value.textContent !== words) found.value.textContent = words
    }
  }
}

/** @param {number} width @param {Element} shape @param {string} words */
function key(width, shape, words) {
  return element("span", {className: "key"}, drawing("svg", {viewBox: `0 0 ${width} 14`, width, height: 14, "aria-hidden": "true"}, shape), words)
}

/** @param {Lane} lane */
function sample(lane) {
  const {dash, marker} = lane.look
  const stroke = drawing("path", {d: "M0 7H28", class: "run", "stroke-dasharray": dash.join(" ")})
  const shape = drawing("path", {d: SHAPES[marker] ?? SHAPES.circle, class: "marker"})
  const opacity = lane.earlier ? EARLIER : 1
  return drawing("svg", {viewBox: "0 0 28 14", width: 28, height: 14, opacity, "aria-hidden": "true"}, stroke, shape)
}
