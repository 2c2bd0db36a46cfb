/* The curves as a table. */

import {element} from "../parts/dom.js"
import {number} from "./formats.js"
import {at, curve} from "./lanes.js"

/** @import {Race} from "./contract.js" */

const ROWS = 24

/**
 * The passes of the rows: some of the measurements, the first and the last among them.
 * @param {Race} race
 * @returns {number[]}
 */
export function rows(race) {
  const all = [...new Set(race.lanes.flatMap((lane) => curve(lane).xs))].sort((a, b) => a - b)
  if (all.length <= ROWS) return all
  return Array.from({length: ROWS}, (_, k) => all[Math.round((k * (all.length - 1)) / (ROWS - 1))])
}

/**
 * @param {HTMLElement} box @param {Race} race
 */
export function fill(box, race) {
  const title = (/** @type {string} */ text, scope = "col") => {
    const made = element("th", {textContent: text})
    made.setAttribute("scope", scope)
    return made
  }
  const head = element("tr", {}, title("passes"), ...race.lanes.map(({label}) => title(label)))
  const body = rows(race).map((passes) => {
    const cells = race.lanes.map((lane) => element("td", {textContent: number(at(lane, passes).error)}))
    return element("tr", {}, title(number(passes), "row"), ...cells)
  })
  const caption = element("caption", {textContent: `${race.up}, over ${race.across}`})
  box.replaceChildren(element("table", {}, caption, element("thead", {}, head), element("tbody", {}, ...body)))
  box.setAttribute("role", "region")
  box.setAttribute("aria-label", "The curves as a table")
}
