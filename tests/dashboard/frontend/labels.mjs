/* What is wrong with the labels of a race's figure, at all sizes. By itself: of the races in a file, each a line. */

import fs from "node:fs"
import {pathToFileURL} from "node:url"
import {endOf, labelsOf, seriesOf} from "../../../cdlab/dashboard/frontend/src/curves.js"
import {frameOf, layoutOf, withHead} from "../../../cdlab/dashboard/frontend/src/layout.js"
import {methodOf, passes} from "../../../cdlab/dashboard/frontend/src/words.js"

const WIDTHS = [320, 390, 700, 1100]
const HEIGHTS = [200, 240, 283, 420, 540]
const LEGEND = 520 // between the plots, on a desktop

/** Of a letter of Helvetica, in ems. @param {string} letter */
const letterWidth = (letter) => (/[il.,:;'| ]/.test(letter) ? 0.27 : /[frt()−·›⁻]/.test(letter) ? 0.36 : /[mwMW]/.test(letter) ? 0.86 : /[A-Z]/.test(letter) ? 0.7 : 0.56)
/** @param {string} text @param {string} style */
const measure = (text, style) => (style === "name" ? 15 : 13) * (style === "soft" || !style ? 1 : 1.07) * [...text].reduce((sum, letter) => sum + letterWidth(letter), 0)

/**
 * A page that shows a race.
 * @param {{prediction: any, race: any, before: any, target: number, axis: "passes" | "iterations"}} of
 */
function pageOf({prediction, race, before, target, axis}) {
  const series = seriesOf(race, axis)
  const side = (/** @type {string} */ label) => race.runs.find((/** @type {any} */ run) => methodOf(run.label) === methodOf(label)).side
  const labels = labelsOf(race)
  const pair = ["primal", "dual"].map((each) => labels.find((label) => side(label) === each))
  const of = (/** @type {any} */ value) => ({value})
  return /** @type {any} */ ({
    series: of(series), predicted: of(prediction), prediction: of(prediction), outcome: of(race.outcome), axis: of(axis), target: of(target),
    earlier: of(before ? [{race: before, name: "100 rows, λ = 0.03/n"}] : []), kept: of([]), end: of(endOf(series)), state: of({even: false}), fresh: of(true),
    veiled: of(false), replay: {head: of(null)}, sideOf: side, ratio: of(prediction.ratio), pair: of(pair.every(Boolean) ? pair : labels.slice(0, 2)),
  })
}

/** @param {any} a @param {any} b */
const meeting = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
/** @param {any} label */
const wordsOf = ({parts}) => parts.map((/** @type {any} */ {text}) => text).join("")

/** @param {Parameters<typeof pageOf>[0]} of @returns {string[]} */
export function faults(of) {
  const page = pageOf(of)
  /** @type {string[]} */
  const found = []
  for (const width of WIDTHS) for (const height of HEIGHTS) for (const phone of [true, false]) for (const even of [false, true]) for (const at of [null, 0.02, 0.4, 1]) {
    page.state.value = {even}
    page.replay.head.value = at === null ? null : at * page.end.value
    const frame = frameOf(page, width, height, {phone, half: "", legend: phone || width < 700 ? 0 : LEGEND})
    const rest = layoutOf(page, frame, measure)
    const shown = [...(at === null ? [null, {x: 0.3 * page.end.value, thin: true}] : [{x: at * page.end.value, thin: false}])].map((head) => withHead(page, frame, measure, rest.labels, head))
    const where = `${width} x ${height}${phone ? ", phone" : ""}${even ? ", even" : ""}, playhead ${at}: `
    const say = (/** @type {string} */ what) => found.push(where + what)
    for (const labels of shown) {
      const words = labels.map(wordsOf)
      for (const [k, a] of labels.entries()) {
        if (a.x < 0 || a.y < 0 || a.x + a.width > width || a.y + a.height > height) say(`"${words[k]}" is beyond the edge`)
        for (const [i, b] of labels.slice(0, k).entries()) if (meeting(a, b)) say(`"${words[k]}" is on "${words[i]}"`)
        if (/^P(\(w\))?, /.test(words[k]) && a.y + a.height > frame.F(Number(rest.meet)) + 2) say(`"${words[k]}" is under the line where P and D meet`)
        if (/^D(\(α\))?, /.test(words[k]) && a.y < frame.F(Number(rest.meet)) - 2) say(`"${words[k]}" is over the line where P and D meet`)
      }
      for (const needed of ["The gap", "The same gap", "target"]) if (!words.some((each) => each.startsWith(needed))) say(`no "${needed}"`)
    }
    const words = shown[0].map(wordsOf)
    if (at === null) for (const {label, reached} of page.series.value) {
      if (reached !== null && height > 240 && !words.includes(passes(reached))) say(`no ${passes(reached)} of ${label}`)
      if (!even && width >= 1100 && height >= 420 && !words.includes(label)) say(`the curve of ${label} has no name`)
    }
  }
  return found
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) for (const race of JSON.parse(fs.readFileSync(process.argv[2], "utf8"))) console.log(JSON.stringify(faults(race)))
