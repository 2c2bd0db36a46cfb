// The lower half of the figure: gaps in powers of ten, their bounds, dots on the target line, two brackets.
import {usePage, colour} from "./page_context.js"
import {cut, gapAt, seriesOf} from "../curves.js"
import {line} from "../scales.js"

/** @typedef {import("../layout").Frame} Frame */
/** @typedef {import("../curves").Series} Series */
/** @typedef {ReturnType<typeof import("../layout").layoutOf>} Layout */

/** The stroke of a method: that of its side, dashed if others of its side stand before it. @param {number} nth */
export const stroke = (nth) => ["", "second", "third"][Math.min(nth, 2)]

/** @param {{frame: Frame, layout: Layout, cross: number | null}} props */
export function Gap({frame, layout, cross}) {
  const page = usePage()
  const {series, replay, fresh, earlier, axis, dragging} = page
  const head = fresh.value ? replay.head.value : null
  const {X, Y, left, target} = frame
  return (
    <g>
      <clipPath id="plot"><rect x={left} y={Y(1) - 6} width={frame.width - left - frame.right} height={target - Y(1) + 7} /></clipPath>
      <g clip-path="url(#plot)">
        {earlier.value.flatMap((each) => seriesOf(each.race, axis.value)).map((each, k) => <path key={k} class="kept" d={line(X, Y, each.x, each.gap)} />)}
        {head === null && !dragging.value && series.value.map(({label, side, least, most}) => {
          if (!least || !most) return null
          const back = line(X, Y, [...most.x].reverse(), [...most.gap].reverse()).replace("M", "L")
          return <path key={label} class={`range ${colour(side)}`} d={`${line(X, Y, least.x, least.gap)}${back}Z`} />
        })}
        {series.value.map((each) => {
          const {x, gap} = cut(each, head)
          return <path key={each.label} class={`gap ${colour(each.side)} ${stroke(each.nth)}`} d={line(X, Y, x, gap)} />
        })}
        <Bounds frame={frame} />
      </g>
      {series.value.filter((each) => each.side === "dual").map((each) => <Markers key={each.label} series={each} frame={frame} head={head} />)}
      {layout.dots.toReversed().map(({at, side, kind}, k) => <circle key={k} class={`dot ${kind} ${side && colour(side)}`} cx={at} cy={target} r={kind === "small" ? 3.5 : 5} />) /* what was measured on top */}
      {layout.brackets.map(({row, from, to, y, open, label}) => {
        const gap = label && label.x > from && label.x < to ? `H${label.x - 5}M${label.x + label.width + 5} ${y}` : ""
        return <path key={row} class={`bracket ${row > 1 ? "dotted" : ""}`} d={`M${from} ${y - 5}V${y}${gap}H${to}${open ? "m-5 -4l5 4l-5 4" : `V${y - 5}`}`} />
      })}
      {head !== null && <Head frame={frame} x={head} />}
      {head === null && cross !== null && <Head frame={frame} x={cross} thin />}
    </g>
  )
}

/** Round markers of dual lines, which are told from primal ones without colour. @param {{series: Series, frame: Frame, head: number | null}} props */
function Markers({series, frame: {X, Y, target}, head}) {
  const gaps = [0.3, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-7].filter((gap) => Y(gap) < target - 8)
  const spots = gaps.map((gap) => series.x[series.gap.findIndex((each) => each <= gap)]).filter((x) => x !== undefined && x > 0 && (head === null || x < head))
  return <>{spots.map((x) => <circle key={x} class={`marker ${colour(series.side)}`} cx={X(x)} cy={Y(gapAt(series, x))} r="3" />)}</>
}

/** @param {{frame: Frame}} props */
function Bounds({frame: {X, Y}}) {
  const {predicted, sideOf, axis} = usePage()
  if (axis.value !== "passes") return null
  const sides = predicted.value?.theorems.map(({label}) => sideOf(label)) ?? []
  return <>{predicted.value?.theorems.map(({label, curve}, k) => {
    return curve && <path key={label} class={`bound ${colour(sides[k])} ${sides.indexOf(sides[k]) < k ? "second" : ""}`} d={line(X, Y, curve.passes, curve.gap)} />
  })}</>
}

/** The playhead, or the crosshair. @param {{frame: Frame, x: number, thin?: boolean}} props */
function Head({frame: {X, Y, left, bottom}, x, thin = false}) {
  const {series, target} = usePage()
  const at = Math.max(X(x), left)
  return (
    <g class={thin ? "cross" : "head"}>
      <line x1={at} x2={at} y1={0} y2={bottom} class="ink" />
      {series.value.map((each) => <circle key={each.label} class={`dot ${colour(each.side)}`} cx={at} cy={Y(Math.max(gapAt(each, x), target.value))} r={thin ? 3.5 : 5} />)}
    </g>
  )
}
