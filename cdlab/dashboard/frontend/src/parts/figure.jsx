// The figure: P and D closing above, the same gap in powers of ten below, one clock through both.
import {useMemo, useRef, useState} from "preact/hooks"
import {FigureTable} from "./figure_table.jsx"
import {Gap, stroke} from "./gap.jsx"
import {PHONE, usePage, useMedia, useSize, colour} from "./page_context.js"
import {frameOf, layoutOf, marksOf, valuesOf, withHead} from "../layout.js"
import {clamp, decades, lastAt, line} from "../scales.js"

/** @typedef {import("../layout").Frame} Frame */
/** @typedef {import("../layout").Half} Half */

const MOST_STROKES = 6 // in the legend, which is one line

/** @param {{half?: Half}} props */
export function Figure({half = ""}) {
  const page = usePage()
  const box = useRef(/** @type {HTMLDivElement | null} */ (null))
  const signs = useRef(/** @type {HTMLParagraphElement | null} */ (null))
  const {width, height} = useSize(box)
  const legend = useSize(signs).width
  const phone = useMedia(PHONE)
  const [cross, setCross] = useState(/** @type {number | null} */ (null))
  const {fresh, veiled, replay, series, outcome, predicted, earlier} = page
  const frame = frameOf(page, width, height, {phone, half, legend: phone ? 0 : legend})
  const {left, right, even, begin, most} = frame
  const at = (/** @type {PointerEvent} */ event) => {
    const place = clamp((event.clientX - /** @type {HTMLElement} */ (box.current).getBoundingClientRect().left - left) / (width - left - right), 0, 1)
    return even ? place * most : 10 ** (Math.log10(begin) + place * Math.log10(most / begin))
  }
  const idle = veiled.value || !fresh.value
  const head = fresh.value ? replay.head.value : null
  const layout = useMemo(() => layoutOf(page, frame, measure),
    [series.value, outcome.value, predicted.value, earlier.value, veiled.value, head === null, width, height, legend, half, frame.target, begin, most])
  const shown = head !== null ? {x: head, thin: false} : cross !== null && !idle ? {x: cross, thin: true} : null
  const labels = withHead(page, frame, measure, layout.labels, half === "values" || veiled.value ? null : shown)
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
            <Grid frame={frame} />
            {!veiled.value && half !== "gap" && <Funnel frame={frame} meet={outcome.value ? layout.meet : null} />}
            {!veiled.value && half !== "values" && <Gap frame={frame} layout={layout} cross={idle ? null : cross} />}
            {labels.map(({x, base, parts}) => (
              <text key={`${x} ${base}`} x={x} y={base} class="halo">{parts.map(({text, style = "", side}) => <tspan key={text} class={`${style} ${side ? colour(side) : ""}`}>{text}</tspan>)}</text>
            ))}
          </svg>
        )}
      </div>
      <Legend phone={phone} half={half} place={signs} frame={frame} />
      <FigureTable />
    </div>
  )
}

/** @type {CanvasRenderingContext2D | null} */
let context = null
/** Pixels of a text of the figure. @param {string} text @param {string} style */
function measure(text, style) {
  context ??= document.createElement("canvas").getContext("2d")
  if (!context) return 8 * text.length
  context.font = `${style === "name" || style === "bold" ? 700 : 400} ${style === "name" ? 15 : 13}px ${getComputedStyle(document.querySelector(".cdlab") ?? document.body).fontFamily}`
  return context.measureText(text).width
}

/** @param {{frame: Frame}} props */
function Grid({frame}) {
  const {target, veiled, fresh} = usePage()
  const {left, right, width, bottom, X, Y, look: {half}} = frame
  return (
    <g class={fresh.value || veiled.value ? "" : "axes"}>
      {half !== "values" && decades(target.value).map((gap) => <line key={gap} x1={left} x2={width - right} y1={Y(gap)} y2={Y(gap)} class={gap === target.value ? "ink" : "grid"} />)}
      {marksOf(frame).map((x) => <line key={x} x1={X(x)} x2={X(x)} y1={20} y2={bottom + 4} class="grid" />)}
    </g>
  )
}

/** P and D of the first draws, up to the playhead: areas below all lines. @param {{frame: Frame, meet: number | null}} props */
function Funnel({frame, meet}) {
  const {series, fresh, replay, axis} = usePage()
  const {left, right, width, X, F} = frame
  const head = fresh.value ? replay.head.value : null
  const bands = valuesOf(series.value, axis.value).map(({each, x, P, D}) => {
    const end = head === null ? x.length : lastAt(x, head) + 1
    const upTo = (/** @type {number[]} */ values) => values.slice(0, end)
    const band = {each, x: upTo(x), P: upTo(P), D: upTo(D)}
    if (head === null || !band.x.length) return band
    return {each, x: [...band.x, head], P: [...band.P, band.P[band.P.length - 1]], D: [...band.D, band.D[band.D.length - 1]]}
  }).filter(({x}) => x.length > 1)
  return (
    <g>
      <clipPath id="plane"><rect x={left} y={0} width={width - left - right} height={frame.bottom} /></clipPath>
      {meet !== null && <line x1={left} x2={width - right} y1={F(meet)} y2={F(meet)} class="meet" />}
      <g clip-path="url(#plane)">
        {bands.map(({each, x, P, D}) => <path key={each.label} class={`area ${colour(each.side)}`} d={`${line(X, F, x, P)}${line(X, F, [...x].reverse(), [...D].reverse()).replace("M", "L")}Z`} />)}
        {bands.map(({each, x, P, D}, k) => (
          <g key={each.label} class={`curve ${colour(each.side)} ${stroke(each.nth)}`}>
            <path d={line(X, F, x, P)} /><path d={line(X, F, x, D)} />
            {head !== null && <path d={`M${Math.max(X(head), left) + 4 + 14 * k} ${F(P[P.length - 1])}h8m-4 0V${F(D[D.length - 1])}m-4 0h8`} />}
          </g>
        ))}
      </g>
    </g>
  )
}

/**
 * What the strokes mean: always in view, and told apart without colour. Methods of the same side are named.
 * @param {{phone: boolean, half: Half, place: import("preact").RefObject<HTMLParagraphElement | null>, frame: Frame}} props
 */
function Legend({phone, half, place, frame: {left, split}}) {
  const {series, predicted, axis, earlier, veiled, fresh, answers, sideOf} = usePage()
  const theorems = predicted.value?.theorems ?? []
  const labels = fresh.value && !veiled.value ? series.value.map(({label}) => label) : answers.value.filter((each) => each !== "even") // of a race to come, too
  const entries = labels.map((label) => ({label, side: sideOf(label)}))
  const nth = (/** @type {string} */ label) => entries.filter(({side}) => side === sideOf(label)).findIndex((each) => each.label === label)
  const alike = entries.some(({label}) => nth(label) > 0)
  const drawn = axis.value === "passes" && half !== "values" ? theorems.filter(({curve}) => curve).filter(({label}, k) => k === 0 || nth(label) > 0) : []
  const bounds = entries.length + drawn.length > MOST_STROKES ? drawn.slice(0, 1) : drawn // their curves are labelled
  const items = [
    ...entries.map(({label, side}) => [`gap ${colour(side)} ${stroke(nth(label))}`, alike ? label : side === "full" ? "all weights" : side, side]),
    ...bounds.map(({label}) => [`bound ${stroke(nth(label))}`, nth(label) > 0 ? `bound, ${label.split(", ").pop()}` : "bound", ""]),
    ...(earlier.value.length && !veiled.value && half !== "values" ? [["kept", phone ? `earlier: ${earlier.value.map(({name}) => name).join("; ")}` : "earlier", ""]] : []),
  ]
  return (
    <p class="legend s" ref={/** @type {any} */ (place)} style={phone ? {} : {left: `${left}px`, top: `${half === "values" ? 0 : split + 2}px`}}>{items.map(([kind, words, side]) => (
      <span key={kind}><svg width="32" height="8" aria-hidden="true"><path class={kind} d="M0 4H32" />{side === "dual" && <circle class="dot d" cx="16" cy="4" r="2.5" />}</svg> {words}</span>
    ))}</p>
  )
}
