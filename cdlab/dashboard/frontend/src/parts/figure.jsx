// The figure: P and D closing above, the same gap in powers of ten below, one clock through both.
import {useRef, useState} from "preact/hooks"
import {FigureTable} from "./figure_table.jsx"
import {Gap} from "./gap.jsx"
import {PHONE, NARROW, usePage, useMedia, useSize, colour} from "./page_context.js"
import {between, clamp, decades, lastAt, line, linear, logarithmic, rounds} from "../scales.js"
import {number} from "../words.js"

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
 */

export function Figure() {
  const page = usePage()
  const box = useRef(/** @type {HTMLDivElement | null} */ (null))
  const {width, height} = useSize(box)
  const phone = useMedia(PHONE)
  const narrow = useMedia(NARROW)
  const [cross, setCross] = useState(/** @type {number | null} */ (null))
  const {fresh, veiled, replay} = page
  const frame = frameOf(page, width, height, phone, narrow)
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
            <Grid frame={frame} height={height} />
            {veiled.value ? <Veil frame={frame} /> : <><Funnel frame={frame} /><Gap frame={frame} cross={idle ? null : cross} /></>}
            <Titles frame={frame} />
          </svg>
        )}
      </div>
      <FigureTable />
    </div>
  )
}

/** Where the ×10 clock starts: a tenth of a pass, earlier if a race is nearly over by then. @param {import("../page").Page} page */
const first = ({series, axis}) => (axis.value === "iterations" ? 1 : series.value.some((each) => each.reached !== null && each.reached < 1) ? 0.01 : 0.1)

/** @param {import("../page").Page} page @param {number} width @param {number} height @param {boolean} phone @param {boolean} narrow @returns {Frame} */
function frameOf(page, width, height, phone, narrow) {
  const {predicted, prediction, state, veiled, kept, end, target} = page
  const [left, right, bottom, gap] = [46, phone ? 12 : 18, height - 36, phone ? 34 : narrow ? 22 : 30]
  const known = (predicted.value ?? prediction.value)
  const bounds = veiled.value ? [] : (known?.theorems ?? []).map((each) => each.value ?? 0).filter((value) => value < 1e6 * Math.max(end.value, 1))
  const even = state.value.even
  const measured = Math.max(end.value, ...kept.value.flatMap(({race}) => race.outcome?.results.map((each) => each.reached ?? 0) ?? []))
  const most = even ? measured * 1.15 : 10 ** Math.ceil(Math.log10(Math.max(measured * 1.2, ...bounds, veiled.value ? 1e4 : 100)))
  const X = even ? linear(0, most, left, width - right) : logarithmic(first(page), most, left, width - right)
  const split = Math.round((bottom - gap) * (narrow ? 0.4 : 0.39))
  const top = split + gap + 8
  const base = bottom - (even || bounds.length < 2 ? 34 : 54)
  const low = known?.dual_at_zero ?? 0
  const high = known?.primal_at_zero ?? 1
  return {width, left, right, bottom, target: base, phone, even, most,
    X, Y: logarithmic(1, target.value, top, base), F: linear(high > low ? high : low + 1, low, 8, split - 4)}
}

/** @param {{frame: Frame, height: number}} props */
function Grid({frame, height}) {
  const page = usePage()
  const {axis, target, veiled, fresh} = page
  const {left, right, width, bottom, X, Y, even, most, phone} = frame
  const [one, many, all, more] = axis.value === "passes" ? ["pass", "passes", "passes over the data", "the work"] : ["round", "rounds", "rounds", "as many"]
  const begin = first(page)
  const marks = even ? rounds(most) : Array.from({length: Math.round(Math.log10(most / begin)) + 1}, (_, k) => begin * 10 ** k)
  const edge = (/** @type {number} */ k) => (k === 0 && !even ? "start" : X(marks[k]) > width - right - 20 ? "end" : "middle")
  const crowded = X(marks[1]) - X(marks[0]) < 48
  const words = even ? `${phone ? many : all}, evenly spaced${phone ? "" : ": a straight line is a constant rate"}`
    : phone ? `${many}; each line ten times ${more}` : `${all}; each line to the right is ten times ${more}`
  return (
    <g class={fresh.value || veiled.value ? "" : "axes"}>
      {decades(target.value).map((gap) => {
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
      <text x={left + 6} y={frame.target - 6} class="bold">target</text>
    </g>
  )
}

/** What both halves show; over the curves. @param {{frame: Frame}} props */
function Titles({frame: {width, right, Y, phone}}) {
  const {axis} = usePage()
  return (
    <g>
      <text x={width - right} y={15} text-anchor="end" class="bold halo">The gap, P(w) − D(α)</text>
      {!phone && axis.value === "passes" && <text x={width - right} y={32} text-anchor="end" class="t2 halo">D never exceeds P, so w is at most the gap above the minimum</text>}
      <text x={width - right} y={Y(1) - 6} text-anchor="end" class="halo"><tspan class="bold">The same gap</tspan><tspan class="t2">{phone ? ", in powers of ten" : ", in powers of ten; 1 at the start"}</tspan></text>
    </g>
  )
}

/** @param {{frame: Frame}} props */
function Veil({frame}) {
  const known = usePage().predicted.value
  if (!known) return null
  const {left, right, width, F, Y, phone} = frame
  const {primal_at_zero: P, dual_at_zero: D} = known
  const every = (/** @type {string} */ what) => (phone ? "" : `: every ${what} 0`)
  return (
    <g>
      <Ends frame={frame} />
      <text x={left + 6} y={F(P) + 14} class="t2">P(0) = {number(P, 2)}{every("weight")}</text>
      {D !== null && <text x={left + 6} y={F(D) - 5} class="t2">D(0) = {number(D, 2)}{every("multiplier")}</text>}
      <text x={(left + width - right) / 2} y={(Y(1) + frame.target) / 2 + 4} class="t2" text-anchor="middle">Guess, and the race starts.</text>
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
  const {left, right, width, X, F, even, phone} = frame
  const head = fresh.value ? replay.head.value : null
  const bands = series.value.map((each) => {
    const {run, passesAt} = each
    const end = head === null ? Number.POSITIVE_INFINITY : passesAt(head)
    const rows = run.passes.map((_, k) => k).filter((k) => run.passes[k] <= end && run.primal[k] !== null && run.dual[k] !== null)
    const x = rows.map((k) => (axis.value === "passes" ? run.passes[k] : run.iterations[k]))
    const P = rows.map((k) => Number(run.primal[k]))
    const D = rows.map((k) => Number(run.dual[k]))
    if (head !== null && rows.length) {
      x.push(head)
      P.push(P[P.length - 1])
      D.push(D[D.length - 1])
    }
    return {each, x, P, D, least: Math.min(...P)}
  }).filter(({x}) => x.length > 1)
  bands.sort((a, b) => (b.each.reached ?? Number.POSITIVE_INFINITY) - (a.each.reached ?? Number.POSITIVE_INFINITY)) // the quicker one on top
  const there = series.value.some((each) => each.reached !== null)
  const done = outcome.value && head === null && there
  const meet = outcome.value ? Math.min(...series.value.map(({run}) => Math.min(...run.primal.map((P) => P ?? Number.POSITIVE_INFINITY)))) : null
  const low = F.length && bands.length ? Math.max(...bands.flatMap(({D}) => D)) : 0
  return (
    <g>
      <Ends frame={frame} />
      <clipPath id="plane"><rect x={left} y={0} width={width - left - right} height={frame.bottom} /></clipPath>
      <g clip-path="url(#plane)">{bands.map(({each, x, P, D}) => {
        const [upper, lower] = [line(X, F, x, P), line(X, F, x, D)]
        const back = x.map((_, k) => `L${X(x[x.length - 1 - k]).toFixed(1)} ${F(D[x.length - 1 - k]).toFixed(1)}`).join("")
        return (
          <g key={each.label} class={`band ${colour(each.side)}`}>
            <path d={`${upper}${back}Z`} class="under" /><path d={`${upper}${back}Z`} class="fill" />
            <path d={upper} class="curve" stroke-dasharray={each.nth ? "6 3" : undefined} /><path d={lower} class="curve" stroke-dasharray={each.nth ? "6 3" : undefined} />
            {head !== null && <path class="curve" d={`M${Math.max(X(head), left) + 8 + 14 * bands.findIndex((band) => band.each === each) - 4} ${F(P[P.length - 1])}h8m-4 0V${F(D[D.length - 1])}m-4 0h8`} />}
          </g>
        )
      })}</g>
      {meet !== null && Number.isFinite(meet) && <>
        <line x1={left} x2={width - right} y1={F(meet)} y2={F(meet)} class="ink dots" />
        <text x={width - right} y={Math.max(F(meet) + 17, phone ? 34 : 51)} text-anchor="end" class={`halo ${done ? "" : "t2"}`}>
          {done ? (phone ? "met at " : "P(w) and D(α) have met at ") : there ? "where they meet: " : "P(w) is at "}{number(meet)}
        </text>
      </>}
      {low !== null && !even && bands.filter(({each}) => !each.nth).map(({each, x, P, D}, k) => <Names key={each.label} each={each} k={k} x={x} P={P} D={D} frame={frame} />)}
    </g>
  )
}

/** "P(w), rcd" beside its lines. @param {{each: import("../curves").Series, k: number, x: number[], P: number[], D: number[], frame: Frame}} props */
function Names({each, x, P, D, frame}) {
  const {X, F, phone, left} = frame
  const {series} = usePage()
  const slow = Math.max(...series.value.map((other) => other.reached ?? other.last)) === (each.reached ?? each.last)
  const [upper, lower] = phone ? ["P", "D"] : ["P(w)", "D(α)"]
  const [a, b] = slow ? [0.75, phone ? 1.6 : 3.2] : [0.13, 0.13]
  const far = X(x[x.length - 1])
  const put = (/** @type {number} */ at, /** @type {number[]} */ ys) => F(ys[lastAt(x, at)])
  const open = Math.abs(F(between(x, P, b)) - F(between(x, D, b))) > 24
  return (
    <g class={`name ${colour(each.side)}`}>
      {X(a) + 30 < far && <text class="halo" x={Math.max(X(a), left + 4)} y={Math.max(put(a, P) - (slow ? 10 : 7), 14)}>{upper}, {each.label}</text>}
      {X(b) + 30 < far && open && <text class="halo" x={Math.max(X(b), left + 4)} y={put(b, D) - (slow ? 7 : 5)}>{lower}, {each.label}</text>}
    </g>
  )
}
