// The figure: P and D closing above, the same gap in powers of ten below, one clock through both.
import {useMemo, useRef, useState} from "preact/hooks"
import {FigureTable} from "./figure_table.jsx"
import {Gap, wide} from "./gap.jsx"
import {PHONE, NARROW, usePage, useMedia, useSize, colour} from "./page_context.js"
import {clamp, decades, lastAt, line, linear, logarithmic, place, rounds, trail} from "../scales.js"
import {number} from "../words.js"

/** @typedef {"" | "gap" | "values"} Half  of the figure, that is drawn alone; "": both are */
/**
 * @typedef {object} Frame
 * @property {number} width
 * @property {number} left
 * @property {number} right
 * @property {number} bottom
 * @property {number} target  height of the target line
 * @property {import("../scales").Scale} X
 * @property {import("../scales").Scale} Y  of the gap
 * @property {import("../scales").Scale} F  of P and D
 * @property {boolean} phone
 * @property {boolean} even
 * @property {number} most  where the clock ends
 * @property {Half} half
 */

/** @param {{half?: Half}} props */
export function Figure({half = ""}) {
  const page = usePage()
  const box = useRef(/** @type {HTMLDivElement | null} */ (null))
  const {width, height} = useSize(box)
  const phone = useMedia(PHONE)
  const narrow = useMedia(NARROW)
  const [cross, setCross] = useState(/** @type {number | null} */ (null))
  const {fresh, veiled, replay} = page
  const frame = frameOf(page, width, height, phone, narrow, half)
  const at = (/** @type {PointerEvent} */ event) => {
    const place = clamp((event.clientX - /** @type {HTMLElement} */ (box.current).getBoundingClientRect().left - frame.left) / (width - frame.left - frame.right), 0, 1)
    return frame.even ? place * frame.most : 10 ** (Math.log10(first(page)) + place * Math.log10(frame.most / first(page)))
  }
  const idle = veiled.value || !fresh.value
  return (
    <div class="figure" role="group" aria-label="Gap against passes">
      <div class="canvas" ref={box}
        onPointerDown={(event) => {
          if (idle) return
          event.currentTarget.setPointerCapture(event.pointerId)
          replay.to(at(event))
        }}
        onPointerMove={(event) => {
          if (idle) return
          if (event.buttons) replay.to(at(event))
          setCross(at(event))
        }}
        onPointerLeave={() => setCross(null)}>
        {width > 0 && height > 0 && (
          <svg width={width} height={height} aria-hidden="true">
            <Grid frame={frame} height={height} narrow={narrow} />
            {veiled.value ? <Veil frame={frame} /> : <>{half !== "gap" && <Funnel frame={frame} />}{half !== "values" && <Gap frame={frame} cross={idle ? null : cross} />}</>}
            <Titles frame={frame} />
          </svg>
        )}
      </div>
      <Legend phone={phone} short={narrow && !phone} half={half} />
      <FigureTable />
    </div>
  )
}

/** Where the ×10 clock starts: a tenth of a pass, earlier if a race is nearly over by then. @param {import("../page").Page} page */
const first = ({series, axis}) => (axis.value === "iterations" ? 1 : series.value.some((each) => each.reached !== null && each.reached < 1) ? 0.01 : 0.1)

/** @param {import("../page").Page} page @param {number} width @param {number} height @param {boolean} phone @param {boolean} narrow @param {Half} half @returns {Frame} */
function frameOf(page, width, height, phone, narrow, half) {
  const {predicted, prediction, state, veiled, kept, end, target} = page
  const [left, right, bottom, gap] = [46, phone ? 12 : 18, height - 36, phone ? 34 : narrow ? 22 : 30]
  const known = (predicted.value ?? prediction.value)
  const bounds = veiled.value ? [] : (known?.theorems ?? []).map((each) => each.value ?? 0).filter((value) => value < 1e6 * Math.max(end.value, 1))
  const even = state.value.even
  const measured = Math.max(end.value, ...kept.value.flatMap(({race}) => race.outcome?.results.map((each) => each.reached ?? 0) ?? []))
  const most = even ? measured * 1.15 : 10 ** Math.ceil(Math.log10(Math.max(measured * 1.2, ...bounds, veiled.value ? 1e4 : 100)))
  const X = even ? linear(0, most, left, width - right) : logarithmic(first(page), most, left, width - right)
  const split = half ? (half === "gap" ? 16 - gap : bottom - 20) : Math.round((bottom - gap) * 0.39)
  const top = split + gap + 8
  const base = half === "values" ? bottom : bottom - (even || bounds.length < 2 ? 34 : 54)
  const low = known?.dual_at_zero ?? 0
  const high = known?.primal_at_zero ?? 1
  return {width, left, right, bottom, target: base, phone, even, most, half,
    X, Y: logarithmic(1, target.value, top, base), F: linear(high > low ? high : low + 1, low, 8, split - 4)}
}

/** @param {{frame: Frame, height: number, narrow: boolean}} props */
function Grid({frame, height, narrow}) {
  const page = usePage()
  const {axis, target, veiled, fresh} = page
  const {left, right, width, bottom, X, Y, even, most} = frame
  const [one, many] = axis.value === "passes" ? ["pass", "passes"] : ["round", "rounds"]
  const begin = first(page)
  const marks = even ? rounds(most) : Array.from({length: Math.round(Math.log10(most / begin)) + 1}, (_, k) => begin * 10 ** k)
  const edge = (/** @type {number} */ k) => (k === 0 && !even ? "start" : X(marks[k]) > width - right - 20 ? "end" : "middle")
  const crowded = X(marks[1]) - X(marks[0]) < 48
  const words = even ? `${many}, evenly spaced` : narrow ? `${many}; each line ×10` : `${many}; ×10 clock: each line is ten times the last`
  return (
    <g class={fresh.value || veiled.value ? "" : "axes"}>
      {frame.half !== "values" && decades(target.value).map((gap) => {
        const exponent = Math.round(Math.log10(gap))
        return (
          <g key={gap}>
            <line x1={left} x2={width - right} y1={Y(gap)} y2={Y(gap)} class={gap === target.value ? "ink" : "grid"} />
            <text x={left - 8} y={Y(gap) + 4.5} text-anchor="end" class={gap === target.value ? "" : "t2"}>
              {gap === 1 ? "1" : Math.abs(Math.log10(gap) - exponent) > 1e-6 ? number(gap, 1) : <>10<tspan dy="-5" class="sup">{String(exponent).replace("-", "−")}</tspan></>}
            </text>
          </g>
        )
      })}
      {marks.map((x, k) => (
        <g key={x}>
          <line x1={X(x)} x2={X(x)} y1={4} y2={bottom + 4} class="grid" />
          <text x={X(x)} y={bottom + 18} text-anchor={edge(k)} class="t2">{!even && crowded && (marks.length - 1 - k) % 2 ? "" : number(x)}{x === 1 && !even && !crowded ? ` ${one}` : even && k === 1 ? ` ${many}` : ""}</text>
        </g>
      ))}
      <text x={width - right} y={height - 2} text-anchor="end" class="t2">{words}</text>
      {frame.half !== "values" && <text x={left + 6} y={frame.target - 6} class="bold">target</text>}
    </g>
  )
}

/** What both halves show; over the curves. @param {{frame: Frame}} props */
function Titles({frame: {width, right, Y, phone, half}}) {
  const {axis} = usePage()
  return (
    <g>
      {half !== "gap" && <text x={width - right} y={15} text-anchor="end" class="bold halo">The gap, P(w) − D(α)</text>}
      {half !== "gap" && !phone && axis.value === "passes" && <text x={width - right} y={32} text-anchor="end" class="t2 halo">D never exceeds P, so P(w) is at most the gap above the minimum</text>}
      {half !== "values" && <text x={width - right} y={Y(1) - 6} text-anchor="end" class="halo"><tspan class="bold">{half ? "The gap, P(w) − D(α)" : "The same gap"}</tspan><tspan class="t2">{phone ? ", in powers of ten" : ", in powers of ten; 1 at the start"}</tspan></text>}
    </g>
  )
}

/** @param {{frame: Frame}} props */
function Veil({frame}) {
  const known = usePage().predicted.value
  if (!known) return null
  const {left, right, width, bottom, F, Y, phone, half} = frame
  const {primal_at_zero: P, dual_at_zero: D} = known
  const start = <text x={(left + width - right) / 2} y={half === "values" ? bottom / 2 : (Y(1) + frame.target) / 2 + 4} class="t2" text-anchor="middle">Guess, and the race starts.</text>
  if (half === "gap") return start
  const every = (/** @type {string} */ what) => (phone ? "" : `: every ${what} 0`)
  return (
    <g>
      <Ends frame={frame} />
      <text x={left + 6} y={F(P) + 14} class="t2">P(0) = {number(P, 2)}{every("weight")}</text>
      {D !== null && <text x={left + 6} y={F(D) - 5} class="t2">D(0) = {number(D, 2)}{every("multiplier")}</text>}
      {start}
    </g>
  )
}

/** @param {{frame: Frame}} props */
function Ends({frame: {left, F}}) {
  const {prediction} = usePage()
  const {primal_at_zero: P, dual_at_zero: D} = prediction.value ?? {primal_at_zero: null, dual_at_zero: null}
  return (
    <>
      {P !== null && <text x={left - 8} y={F(P) + 9} text-anchor="end" class="t2">{number(P, 2)}</text>}
      {D !== null && <text x={left - 8} y={F(D) + 2} text-anchor="end" class="t2">{number(D, 2)}</text>}
    </>
  )
}

/** P and D of the first draws, a band per entry, up to the playhead. @param {{frame: Frame}} props */
function Funnel({frame}) {
  const {series, fresh, replay, outcome, axis} = usePage()
  const {left, right, width, X, F, phone} = frame
  const head = fresh.value ? replay.head.value : null
  const whole = series.value.map((each) => {
    const {run} = each
    const rows = run.passes.map((_, k) => k).filter((k) => run.primal[k] !== null && run.dual[k] !== null)
    const x = rows.map((k) => (axis.value === "passes" ? run.passes[k] : run.iterations[k]))
    return {each, x, P: rows.map((k) => Number(run.primal[k])), D: rows.map((k) => Number(run.dual[k]))}
  })
  const bands = whole.map(({each, x, P, D}) => {
    const end = head === null ? x.length : lastAt(x, head) + 1
    const upTo = (/** @type {number[]} */ values) => values.slice(0, end)
    const band = {each, x: upTo(x), P: upTo(P), D: upTo(D)}
    if (head === null || !band.x.length) return band
    return {each, x: [...band.x, head], P: [...band.P, band.P[band.P.length - 1]], D: [...band.D, band.D[band.D.length - 1]]}
  }).filter(({x}) => x.length > 1)
  bands.sort((a, b) => (b.each.reached ?? Number.POSITIVE_INFINITY) - (a.each.reached ?? Number.POSITIVE_INFINITY)) // the quicker one on top
  const there = series.value.some((each) => each.reached !== null)
  const done = outcome.value && head === null && there
  const meet = outcome.value ? Math.min(...whole.flatMap(({P}) => P)) : Number.POSITIVE_INFINITY
  const known = Number.isFinite(meet)
  const met = {x: width - right - (phone ? 110 : 240), y: Math.max(F(meet) + 17, phone ? 34 : 51)}
  const names = useMemo(() => namesOf(whole, frame, known ? [{x: met.x, y: met.y - 13, width: 250, height: 18}, {x: left, y: F(meet) - 2, width, height: 4}] : []),
    [series.value, width, F(0), X(1), X(2), known])
  return (
    <g>
      <Ends frame={frame} />
      <clipPath id="plane"><rect x={left} y={0} width={width - left - right} height={frame.bottom} /></clipPath>
      <g clip-path="url(#plane)">{bands.map(({each, x, P, D}, k) => {
        const [upper, lower] = [line(X, F, x, P), line(X, F, x, D)]
        const back = line(X, F, [...x].reverse(), [...D].reverse()).replace("M", "L")
        const curve = `curve ${each.nth ? "second" : ""}`
        return (
          <g key={each.label} class={`band ${colour(each.side)}`}>
            <path d={`${upper}${back}Z`} class="under" /><path d={`${upper}${back}Z`} class="fill" />
            <path d={upper} class={curve} /><path d={lower} class={curve} />
            {head !== null && <path class="curve" d={`M${Math.max(X(head), left) + 4 + 14 * k} ${F(P[P.length - 1])}h8m-4 0V${F(D[D.length - 1])}m-4 0h8`} />}
          </g>
        )
      })}</g>
      {known && <>
        <line x1={left} x2={width - right} y1={F(meet)} y2={F(meet)} class="meet" />
        <text x={width - right} y={met.y} text-anchor="end" class={`halo ${done ? "" : "t2"}`}>
          {done ? (phone ? "met at " : "P(w) and D(α) have met at ") : there ? "where they meet: " : "P(w) is at "}{number(meet)}
        </text>
      </>}
      {names.map(({text, side, x, y, from}) => (head === null || from < X(head)) && <text key={text} class={`halo ${colour(side)}`} x={x} y={y + 13}>{text}</text>)}
    </g>
  )
}

const PLACES = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8] // along a curve, where its name may stand

/**
 * The names of all curves of the funnel, "P(w), rcd", where there is room for them: outside of its band, or in it.
 * @param {{each: import("../curves").Series, x: number[], P: number[], D: number[]}[]} bands @param {Frame} frame @param {import("../scales").Box[]} taken
 */
function namesOf(bands, {X, F, Y, phone, left, right, width}, taken) {
  const curves = bands.flatMap(({each, x, P, D}) => /** @type {const} */ ([["P", P], ["D", D]]).map(([name, values]) => ({
    name, side: each.side, text: `${phone ? name : name === "P" ? "P(w)" : "D(α)"}, ${each.label}`, along: trail(X, F, x, values).filter((box) => box.x >= left),
  }))).filter(({along}) => along.length > 1)
  const titles = [{x: width - right - (phone ? 130 : 375), y: 0, width: 400, height: phone ? 18 : 36}, {x: width - right - (phone ? 195 : 275), y: Y(1) - 20, width: 300, height: 18}]
  const outside = [{x: width - right, y: -500, width: 900, height: 2000}, {x: -500, y: -500, width: 2000, height: 500}]
  return place(curves.map(({name, text, side, along}) => PLACES.flatMap((share) => {
    const spot = along[Math.floor(share * along.length)]
    const box = {text, side, from: spot.x, x: spot.x + 8, width: wide(text), height: 16}
    const [above, below] = [{...box, y: spot.y - 19}, {...box, y: spot.y + 6}]
    return name === "P" ? [above, below] : [below, above]
  })), [...taken, ...titles, ...outside, ...curves.flatMap(({along}) => along)])
}

/** What the strokes mean: always in view, and told apart without colour. @param {{phone: boolean, short: boolean, half: Half}} props */
function Legend({phone, short, half}) {
  const {series, predicted, axis, earlier, veiled, fresh, answers, sideOf} = usePage()
  const theorems = predicted.value?.theorems ?? []
  const labels = fresh.value ? series.value.map(({label}) => label) : answers.value.filter((each) => each !== "even") // of a race to come, too
  const sides = labels.map(sideOf)
  const seconds = labels.filter((_, k) => sides.indexOf(sides[k]) < k)
  const names = seconds.map((each) => (short ? each.split(", ").pop() : each)).join("; ")
  const bounds = axis.value === "passes" && half !== "values" ? theorems.map(({label, curve}, k) => (!curve ? "" : theorems.findIndex((each) => sideOf(each.label) === sideOf(label)) < k ? "second" : "first")) : []
  const items = [
    ...["primal", "dual", "full"].filter((side) => sides.some((each) => each === side)).map((side) => [`gap ${colour(side)}`, side === "full" ? "all weights" : side]),
    ...(seconds.length ? [["gap second", names]] : []),
    ...(bounds.includes("first") ? [["bound", "bound"]] : []),
    ...(bounds.includes("second") ? [["bound second", `bound, ${names}`]] : []),
    ...(earlier.value.length && !veiled.value && half !== "values" ? [["kept", phone ? `earlier: ${earlier.value.map(({name}) => name).join("; ")}` : "earlier"]] : []),
  ]
  return (
    <p class="legend s">{items.map(([kind, words]) => (
      <span key={kind}><svg width="22" height="8" aria-hidden="true"><path class={kind} d="M1 4H21" />{words === "dual" && <circle class="dot d" cx="11" cy="4" r="2.5" />}</svg> {words}</span>
    ))}</p>
  )
}
