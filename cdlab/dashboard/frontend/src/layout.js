// Where everything in the figure stands: its frame, its dots and brackets, and its labels. Labels are placed in the
// order of their weight, in their measured widths; one that finds no free place is left out.
import {EVEN, gapAt, leadOf, seriesOf} from "./curves.js"
import {clamp, decades, linear, logarithmic, overlap, place, rounds, trail} from "./scales.js"
import {methodOf, number, passes, power, share, times} from "./words.js"

/** @typedef {import("./scales").Box} Box */
/** @typedef {import("./curves").Series} Series */
/** @typedef {"" | "gap" | "values"} Half  of the figure, that is drawn alone; "": both are */
/** @typedef {{text: string, style?: string, side?: string}} Part  style: "bold", "name", "soft" or none */
/** @typedef {Box & {parts: Part[], base: number, from?: number, firm?: boolean}} Label  firm: not hidden by the playhead's */
/** @typedef {(text: string, style: string) => number} Measure  pixels of a text */
/** @typedef {{phone: boolean, half: Half, legend: number}} Look  legend: pixels that the legend takes between both plots */
/**
 * @typedef {object} Frame
 * @property {number} width
 * @property {number} height
 * @property {number} left
 * @property {number} right
 * @property {number} bottom
 * @property {number} split  where the upper plot ends
 * @property {number} target  height of the target line
 * @property {import("./scales").Scale} X
 * @property {import("./scales").Scale} Y  of the gap
 * @property {import("./scales").Scale} F  of P and D
 * @property {boolean} even
 * @property {number} begin  where the clock starts
 * @property {number} most  where it ends
 * @property {Look} look
 */

const [TITLE, ROW, ASCENT, LINE] = [22, 18, 12, 15] // pixels: a plot's title, a bracket, a text of 13 px over its base line, and its height
const FARTHEST_BOUND = 1e3 // times as long as the race: the curve of a bound beyond is outside of the figure, and a number at its edge
const UPPER = 0.3 // of the plots' height; the race is seen in the lower one
const ALONG = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9, 0.03, 0.45, 0.55, 0.35, 0.65, 0.25, 0.75, 0.15, 0.85] // of a curve, where its name may stand
const SAID_EVEN = {long: "about even", short: "≈", side: ""} // of bounds
const FROM_START = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9]

/** @param {import("./page").Page} page @param {number} width @param {number} height @param {Look} look @returns {Frame} */
export function frameOf(page, width, height, look) {
  const {predicted, prediction, state, veiled, kept, end, target, series, axis} = page
  const {phone, half} = look
  const [left, right, bottom] = [46, phone ? 12 : 18, height - 22]
  const known = predicted.value ?? prediction.value
  const bounds = veiled.value ? [] : (known?.theorems ?? []).map((each) => each.value ?? 0).filter((value) => value < FARTHEST_BOUND * Math.max(end.value, 1))
  const even = state.value.even
  const measured = Math.max(end.value, ...kept.value.flatMap(({race}) => race.outcome?.results.map((each) => each.reached ?? 0) ?? []))
  const begin = axis.value === "iterations" ? 1 : series.value.some((each) => each.reached !== null && each.reached < 1) ? 0.01 : 0.1
  const most = even ? (measured || 1) * 1.15 : 10 ** Math.ceil(Math.log10(Math.max(measured * 1.2, ...bounds, veiled.value ? 1e4 : 100)))
  const X = even ? linear(0, most, left, width - right) : logarithmic(begin, most, left, width - right)
  const base = half === "values" ? bottom : bottom - ROW * (even || bounds.length < 2 ? 1 : 2) - 8
  const split = half === "gap" ? 0 : half ? bottom : TITLE + Math.round((base - 2 * TITLE) * UPPER)
  const low = known?.dual_at_zero ?? 0
  const high = known?.primal_at_zero ?? 1
  return {width, height, left, right, bottom, split, target: base, even, begin, most, look,
    X, Y: logarithmic(1, target.value, split + TITLE, base), F: linear(high > low ? high : low + 1, low, TITLE, split)}
}

/** P and D of each entry's first draw. @param {Series[]} series @param {import("./curves").Axis} axis */
export const valuesOf = (series, axis) => series.map((each) => {
  const {run} = each
  const rows = run.passes.map((_, k) => k).filter((k) => run.primal[k] !== null && run.dual[k] !== null)
  const x = rows.map((k) => (axis === "passes" ? run.passes[k] : run.iterations[k]))
  return {each, x, P: rows.map((k) => Number(run.primal[k])), D: rows.map((k) => Number(run.dual[k]))}
})

/** Where the clock's lines stand. @param {Frame} frame */
export const marksOf = ({even, begin, most}) => (even ? rounds(most) : Array.from({length: Math.round(Math.log10(most / begin)) + 1}, (_, k) => begin * 10 ** k))

/** Where the curves reach the target, and where bounds do; `at`: within the plot, also of no passes. @param {import("./page").Page} page @param {Frame} frame */
function dotsOf(page, {X, left, width, right}) {
  const {series, earlier, axis, predicted, sideOf, fresh, replay} = page
  const resting = !fresh.value || replay.head.value === null
  const measured = series.value.filter((each) => each.reached !== null && resting).map((each) => ({x: Number(each.reached), side: each.side, kind: "full"}))
  const bounds = axis.value !== "passes" ? [] : (predicted.value?.theorems ?? []).filter(({value}) => value !== null && X(value) <= width - right + 1)
    .map(({label, value}) => ({x: Number(value), side: String(sideOf(label)), kind: "hollow"}))
  const old = earlier.value.flatMap(({race}) => seriesOf(race, axis.value)).filter(({reached}) => reached !== null)
    .map(({reached}) => ({x: Number(reached), side: "", kind: "small"})).filter(({x}) => !measured.some((each) => Math.abs(X(each.x) - X(x)) < 8))
  return [...measured, ...bounds, ...old].map((each) => ({...each, at: Math.max(X(each.x), left + 7)}))
}

/** What was measured, and what the bounds say, as lengths on the clock. @param {import("./page").Page} page @param {Frame} frame */
function bracketsOf(page, {X, target, even, most}) {
  const {series, outcome, axis, ratio, pair, predicted, replay, sideOf} = page
  if (!outcome.value) return []
  const alike = (/** @type {string} */ label) => series.value.every((each) => methodOf(each.label) === methodOf(label)) // they differ by their draws
  const said = (/** @type {string} */ ahead, /** @type {string} */ by) => ({long: `${alike(ahead) ? ahead.split(", ").pop() : ahead}, ${by} times`, short: `${by} ×`, side: sideOf(ahead)})
  const bracket = (/** @type {number} */ row, /** @type {string} */ words, /** @type {ReturnType<typeof said> | typeof SAID_EVEN} */ what, /** @type {number[]} */ [from, to], open = false) =>
    ({row, words, ...what, from: X(from), to: X(to), y: target - 2 + ROW * row, open})
  const found = []
  const {winner, loser, lead} = leadOf(outcome.value, axis.value)
  const [first, last] = [winner, loser].map((label) => series.value.find((each) => each.label === label))
  if (replay.head.value === null && first && last && lead && first.reached !== null)
    found.push(bracket(1, "measured: ", said(first.label, `${outcome.value.at_least ? "over " : ""}${times(lead)}`), [first.reached, last.reached ?? last.last], last.reached === null))
  const bounds = (predicted.value?.theorems ?? []).filter(({label, value}) => value !== null && pair.value.includes(label)).map(({value}) => Number(value)).sort((a, b) => a - b)
  const apart = ratio.value ? Math.max(ratio.value, 1 / ratio.value) : null
  if (!even && axis.value === "passes" && bounds.length > 1 && apart)
    found.push(bracket(2, "bounds say: ", apart < EVEN ? SAID_EVEN : said(pair.value[Number(ratio.value) > 1 ? 1 : 0], times(apart)), [bounds[0], bounds[bounds.length - 1]].map((each) => Math.min(each, most)), bounds[bounds.length - 1] > most))
  return found
}

/**
 * The labels of the figure at rest, and what they are about.
 * @param {import("./page").Page} page @param {Frame} frame @param {Measure} measure
 */
export function layoutOf(page, frame, measure) {
  const {series, predicted, prediction, outcome, earlier, axis, target, fresh, veiled, replay, sideOf} = page
  const {X, Y, F, left, right, width, height, bottom, split, target: base, look: {phone, half, legend}} = frame
  const [edge, resting] = [width - right, !fresh.value || replay.head.value === null]
  const box = boxes(measure)
  const [top, between, under] = [{left, right: edge, top: 0, bottom: split}, {left: 0, right: width, top: split, bottom: Y(1)}, {left: 0, right: width, top: 0, bottom: height}]
  const upper = {left, right: edge, top: TITLE - 5, bottom: split + 3}
  const lower = {left: left + 2, right: edge, top: Y(1) + 1, bottom: base - 2}
  /** @type {{places: Label[], room: ReturnType<typeof Object>, over?: boolean, firm?: boolean}[]} */
  const labels = []
  const add = (/** @type {Label[]} */ places, /** @type {any} */ room, {over = false, firm = false} = {}) => labels.push({places, room, over, firm})
  const both = half === ""
  const [gaps, values] = [half !== "values", half !== "gap"]

  // titles, the shorter where there is less room
  const title = "The gap, P(w) − D(α)"
  const titled = (/** @type {string} */ words, /** @type {string[]} */ tails, /** @type {number} */ y) => tails.map((text) => box([{text: words, style: "bold"}, {text, style: "soft"}], edge, y, "end"))
  if (values) add(titled(title, [": D never exceeds P, so P(w) is at most the gap above the minimum", ", is at least P(w) − min P", ""], 13), top, {firm: true})
  const lowerTitle = both ? "The same gap" : title
  const inside = [1, 0.8, 0.6, 0.4].map((at) => box([{text: lowerTitle, style: "bold"}], left + at * (edge - left), Y(1) + 14, "end")) // beside a wide legend
  if (gaps) add([...titled(lowerTitle, [", in powers of ten; 1 at the start", ", in powers of ten", ""], Y(1) - 7), ...inside], {...between, bottom: base}, {over: true, firm: true})

  // both axes: their ends before what lies between
  const known = predicted.value ?? prediction.value
  const soft = (/** @type {string} */ text) => [{text, style: "soft"}]
  if (gaps) {
    const levels = decades(target.value)
    for (const gap of [1, target.value, ...levels.slice(1, -1)]) {
      const whole = Math.abs(Math.log10(gap) - Math.round(Math.log10(gap))) < 1e-6
      add([box([{text: gap === 1 ? "1" : whole ? power(gap) : number(gap, 1), style: gap === target.value ? "" : "soft"}], left - 8, Y(gap) + 4.5, "end")], under, {firm: true})
    }
  }
  const {primal_at_zero: P0 = null, dual_at_zero: D0 = null} = known ?? {}
  if (values) for (const [value, down] of [[P0, 9], [D0, 2]]) if (value !== null) add([box(soft(number(value, 2)), left - 8, F(value) + Number(down), "end")], under, {firm: true})
  const marks = marksOf(frame)
  const unit = axis.value === "passes" ? "passes" : "rounds"
  const last = marks.length - 1
  const order = [last, 0, ...marks.keys()].filter((k, i, all) => all.indexOf(k) === i)
  for (const k of order.sort((a, b) => rank(a, last) - rank(b, last))) {
    const text = `${number(marks[k])}${k === last ? ` ${unit}` : ""}`
    const spot = box(soft(text), X(marks[k]), bottom + 17, "middle")
    add([{...spot, x: clamp(spot.x, 0, width - spot.width)}], under)
  }
  if (gaps) add([box([{text: "target", style: "bold"}], left + 6, base - 6), ...[0.25, 0.5, 0.75].map((at) => box([{text: "target", style: "bold"}], left + at * (edge - left), base - 6, "middle"))], lower, {over: true, firm: true})

  const waiting = veiled.value
  const dots = waiting || !gaps ? [] : dotsOf(page, frame)
  const brackets = waiting || !gaps ? [] : bracketsOf(page, frame)
  const funnel = waiting || !values ? [] : valuesOf(series.value, axis.value)
  const all = waiting || !gaps ? [] : series.value
  const theorems = waiting || !gaps || axis.value !== "passes" ? [] : (predicted.value?.theorems ?? [])
  const old = waiting || !gaps ? [] : earlier.value.flatMap(({race, name}) => seriesOf(race, axis.value).map((one) => ({one, name})))
  const meet = funnel.some(({P}) => P.length) ? Math.min(...funnel.flatMap(({P}) => P)) : null

  // what a label keeps off: dots, and all curves but the pale ones of earlier races
  const curve = (/** @type {import("./scales").Scale} */ scale, /** @type {number[]} */ x, /** @type {number[]} */ y) => trail(X, scale, x, y, left, edge)
  const drawn = all.map((each) => curve(Y, each.x, each.gap))
  const bounds = theorems.map((each) => (each.curve ? curve(Y, each.curve.passes, each.curve.gap) : []))
  const before = old.map(({one}) => curve(Y, one.x, one.gap))
  const pairs = funnel.flatMap(({each, x, P, D}) => /** @type {const} */ ([["P", P], ["D", D]]).map(([name, y]) => ({name, each, along: curve(F, x, y)})))
  const lines = [...drawn, ...bounds, ...pairs.map(({along}) => along)].flat()
  if (gaps) lines.push({x: left, y: base - 1, width: edge - left, height: 2})
  if (meet !== null) lines.push({x: left, y: F(meet) - 1, width: edge - left, height: 2})
  const taken = dots.map(({at}) => ({x: at - 6, y: base - 6, width: 12, height: 12}))
  if (legend) taken.push({x: left, y: half === "values" ? 0 : split + 2, width: legend + 8, height: 18})

  // numbers on the target line, and the brackets' words below it
  const numbers = (/** @type {string[]} */ kinds) => {
    for (const {x, at, side, kind} of dots) {
      if (!kinds.includes(kind)) continue
      const parts = [{text: passes(x), style: kind === "small" ? "soft" : "bold", side}]
      const ways = /** @type {["start" | "end", number][]} */ (kind === "hollow" ? [["start", 8], ["end", -8]] : [["end", -8], ["start", 8]])
      add([8, 23, 38].flatMap((up) => ways.map(([anchor, by]) => box(parts, at + by, base - up, anchor))), {...lower, right: width}, {over: kind !== "small", firm: kind !== "small"})
    }
  }
  numbers(["full", "hollow"])
  const words = brackets.map(({words, long, short, side, from, to, y}) => {
    const forms = [[{text: words}, {text: long, style: "bold", side}], [{text: long, style: "bold", side}], [{text: short, style: "bold", side}]]
    return add(forms.flatMap((parts) => {
      const inside = box(parts, (from + to) / 2, y + 4.5, "middle")
      return [box(parts, from - 8, y + 4.5, "end"), box(parts, to + 10, y + 4.5), ...(inside.width + 36 < to - from ? [inside] : [])]
    }), {left: 0, right: width, top: base, bottom: bottom}, {firm: true}) - 1
  })

  // before the race: its start
  if (waiting && known) {
    const every = (/** @type {string} */ what) => [`: every ${what} 0`, ""]
    if (values && P0 !== null) add(every("weight").map((tail) => box(soft(`P(0) = ${number(P0, 2)}${tail}`), left + 6, F(P0) + 13)), upper)
    if (values && D0 !== null) add(every("multiplier").map((tail) => box(soft(`D(0) = ${number(D0, 2)}${tail}`), left + 6, F(D0) - 5)), upper)
    add([box(soft("Guess, and the race starts."), (left + edge) / 2, gaps ? (Y(1) + base) / 2 + 4 : (TITLE + split) / 2 + 4, "middle")], under)
  }

  // the curves' names; while the playhead moves, it names them
  const beside = (/** @type {Box[]} */ along, /** @type {number[]} */ shares, /** @type {Part[]} */ parts, /** @type {readonly (readonly [number, number, ("start" | "end")])[]} */ ways) =>
    along.length < 2 ? [] : shares.flatMap((share) => {
      const spot = along[Math.floor(share * along.length)]
      return ways.map(([dx, dy, anchor]) => box(parts, spot.x + 2 + dx, spot.y + 2 + dy, anchor))
    })
  const ways = /** @type {const} */ ([[12, 5, "start"], [-12, 5, "end"], [6, -7, "start"], [-6, 17, "end"]])
  const farther = /** @type {const} */ ([[26, 5, "start"], [-26, 5, "end"], [16, -14, "start"], [-16, 24, "end"]])
  if (resting) for (const [k, each] of all.entries()) {
    const end = outcome.value ? [] : /** @type {const} */ ([[8, 4, "start"], [-8, -6, "end"], [-8, 16, "end"]]).map(([dx, dy, anchor]) => box([{text: each.label, style: "name", side: each.side}], X(each.last) + dx, Y(each.lastGap) + dy, anchor))
    const name = (/** @type {string} */ style, /** @type {typeof ways | typeof farther} */ how) => beside(drawn[k], ALONG, [{text: each.label, style, side: each.side}], how)
    add([...end, ...name("name", ways), ...name("bold", ways), ...name("bold", farther)], lower)
  }
  for (const [k, {label, value, curve: whole}] of theorems.entries()) {
    if (value === null) continue
    const name = label.split(", ").pop() // of two that differ by their draws, these
    const inside = X(value) <= edge + 1
    const later = theorems.some((other) => other.value !== null && other.value > value && X(other.value) <= edge + 1) // then another bound is at its right
    const [after, ahead] = [[ways[0], ways[2]], [ways[1], ways[3]]]
    const side = sideOf(label)
    const far = `bound, ${name}: ${passes(value)}${whole ? " ›" : ", of averages"}`
    add(inside && whole ? beside(bounds[k], ALONG, [{text: `bound, ${name}`, side}], later ? [...ahead, ...after] : [...after, ...ahead])
      : Array.from({length: 8}, (_, row) => box([{text: inside ? `bound, ${name}` : far, side}], edge, Y(1) + 14 + 16 * row, "end")), lower)
  }
  if (meet !== null && outcome.value) {
    const done = resting && all.some((each) => each.reached !== null)
    const there = series.value.some((each) => each.reached !== null)
    const forms = done ? ["P(w) and D(α) have met at ", "met at "] : there ? ["where they meet: ", "meet: "] : ["P(w) is at "]
    add(forms.flatMap((text) => [1, 0.6, 0.3].flatMap((at) => [16, -6].map((down) =>
      box([{text: `${text}${number(meet)}`, style: done ? "" : "soft"}], Math.max(left + at * (edge - left), left + 8), F(meet) + down, at === 1 ? "end" : "start")))), upper)
  }
  for (const {name, each, along} of pairs) { // P over the line where they meet, D under it
    const at = F(Number(meet))
    const parts = phone ? [`${name}, ${each.label}`] : [`${name === "P" ? "P(w)" : "D(α)"}, ${each.label}`, `${name}, ${each.label}`]
    const beyond = /** @type {const} */ ([[8, -7, "start"], [8, 17, "start"]])
    add(parts.flatMap((text) => beside(along, FROM_START, [{text, side: each.side}], name === "P" ? beyond : beyond.toReversed()))
      .map((spot) => ({...spot, from: spot.x})).filter((spot) => (name === "P" ? spot.y + spot.height <= at + 1 : spot.y >= at - 1)), upper)
  }
  if (!phone) {
    numbers(["small"])
    if (resting) for (const [k, {one, name}] of old.entries()) add([`${one.label}, ${name}`, one.label].flatMap((text) => [ways, farther].flatMap((how) => beside(before[k], ALONG, soft(text), how))), lower)
  }

  const placed = place(labels, taken, lines)
  return {dots, meet, labels: placed.flatMap((each, k) => (each ? [{...each, firm: labels[k].firm}] : [])),
    brackets: brackets.map((each, k) => ({...each, label: placed[words[k]]}))}
}

/** The clock's ends come first, then every second mark. @param {number} k @param {number} last */
const rank = (k, last) => (k === last ? 0 : k === 0 ? 1 : (last - k) % 2 ? 3 : 2)

/** Boxes of texts in their measured widths. @param {Measure} measure */
const boxes = (measure) => (/** @type {Part[]} */ parts, /** @type {number} */ x, /** @type {number} */ base, /** @type {"start" | "middle" | "end"} */ anchor = "start") => {
  const width = parts.reduce((sum, {text, style = ""}) => sum + measure(text, style), 0)
  return /** @type {Label} */ ({parts, base, width, height: LINE, x: x - {start: 0, middle: 0.5, end: 1}[anchor] * width, y: base - ASCENT})
}

/**
 * The figure's labels with those of the playhead, or of the crosshair: what every curve is at. What these cover is hidden.
 * @param {import("./page").Page} page @param {Frame} frame @param {Measure} measure @param {Label[]} labels  at rest
 * @param {{x: number, thin: boolean} | null} head  thin: the crosshair
 */
export function withHead(page, {X, Y, left, width, bottom, target: base}, measure, labels, head) {
  if (!head) return labels
  const {series, target} = page
  const box = boxes(measure)
  const at = Math.max(X(head.x), left)
  const ways = /** @type {["start" | "end", number][]} */ ([["start", 10], ["end", -10]])
  if (at > width - 130) ways.reverse()
  const rows = series.value.map((each) => ({each, gap: gapAt(each, head.x)})).sort((a, b) => b.gap - a.gap)
  const room = {left, right: width, top: Y(1) - 12, bottom: base + 12}
  const found = place(rows.map(({each, gap}) => {
    const value = share(gap, target.value)
    return {over: true, room, places: [`${each.label} ${value}`, value].flatMap((text) => [0, 16, -16, 32, -32, 48, -48].flatMap((down) =>
      ways.map(([anchor, by]) => box([{text, style: "bold", side: each.side}], at + by, Y(Math.max(gap, target.value)) + 4.5 + down, anchor))))}
  }), labels.filter(({firm}) => firm)).filter((each) => each !== undefined)
  if (head.thin) found.push(box([{text: number(head.x, 2), style: "bold"}], clamp(at, left, width - 30), bottom + 17, "middle"))
  return [...labels.filter((each) => (each.from ?? 0) < (head.thin ? Number.POSITIVE_INFINITY : at) && (each.firm || !found.some((one) => overlap(one, each)))), ...found]
}
