// The lower half of the figure: gaps in powers of ten, their bounds, numbers on the target line, two brackets.
import {usePage, colour} from "./page_context.js"
import {cut, gapAt, leadOf, seriesOf} from "../curves.js"
import {clamp, line, place, trail} from "../scales.js"
import {methodOf, number, passes, share, times} from "../words.js"

/** @typedef {import("./figure").Frame} Frame */
/** @typedef {import("../curves").Series} Series */

/** @param {string} text */
export const wide = (text) => 7.4 * text.length // pixels of a text of 13 px

/** @param {{frame: Frame, cross: number | null}} props */
export function Gap({frame, cross}) {
  const page = usePage()
  const {series, replay, fresh, earlier, axis, outcome, dragging} = page
  const head = fresh.value ? replay.head.value : null
  const {X, Y, left, bottom} = frame
  return (
    <g>
      <clipPath id="plot"><rect x={left} y={Y(1) - 6} width={frame.width - left - frame.right} height={frame.target - Y(1) + 7} /></clipPath>
      <g clip-path="url(#plot)">
        {earlier.value.flatMap((each) => seriesOf(each.race, axis.value)).map((each, k) => <path key={k} class={`kept ${colour(each.side)}`} d={line(X, Y, each.x, each.gap)} />)}
        {head === null && !dragging.value && series.value.map(({label, side, least, most}) => {
          if (!least || !most) return null
          const back = line(X, Y, [...most.x].reverse(), [...most.gap].reverse()).replace("M", "L")
          return <path key={label} class={`range ${colour(side)}`} d={`${line(X, Y, least.x, least.gap)}${back}Z`} />
        })}
        {series.value.map((each) => {
          const {x, gap} = cut(each, head)
          return <path key={each.label} class={`gap ${colour(each.side)} ${each.nth ? "second" : ""}`} d={line(X, Y, x, gap)} />
        })}
        <Bounds frame={frame} />
      </g>
      {series.value.filter((each) => each.side === "dual").map((each) => <Markers key={each.label} series={each} frame={frame} head={head} />)}
      {outcome.value && <Numbers frame={frame} head={head} />}
      {!outcome.value && series.value.map((each) => <text key={each.label} class={`halo bold ${colour(each.side)}`} x={X(each.last) + 8} y={Math.min(Y(each.lastGap), frame.target - 8)}>{each.label}</text>)}
      {head !== null && <Head frame={frame} x={head} bottom={bottom} />}
      {head === null && cross !== null && <Head frame={frame} x={cross} bottom={bottom} thin />}
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

/** The playhead, or the crosshair, with what every curve is at. @param {{frame: Frame, x: number, bottom: number, thin?: boolean}} props */
function Head({frame: {X, Y, width, left: edge}, x, bottom, thin = false}) {
  const {series, target} = usePage()
  const at = Math.max(X(x), edge)
  const left = at > width - 130
  const rows = series.value.map((each) => ({each, gap: gapAt(each, x)})).sort((a, b) => b.gap - a.gap)
  let free = 0
  return (
    <g class={thin ? "cross" : "head"}>
      <line x1={at} x2={at} y1={0} y2={bottom} class="ink" />
      {thin && <text class="t2 halo" x={at + (left ? -6 : 6)} y={bottom - 4} text-anchor={left ? "end" : "start"}>{number(x, 2)}</text>}
      {rows.map(({each, gap}) => {
        const y = Y(Math.max(gap, target.value))
        free = Math.max(y + 4.5, free + 16)
        return (
          <g key={each.label} class={colour(each.side)}>
            <circle class="dot" cx={at} cy={y} r={thin ? 3.5 : 5} />
            <text class="halo bold" x={at + (left ? -10 : 10)} y={free} text-anchor={left ? "end" : "start"}>{each.label} {share(gap, target.value)}</text>
          </g>
        )
      })}
    </g>
  )
}

/** Numbers on the target line, the curves' names, and both brackets. @param {{frame: Frame, head: number | null}} props */
function Numbers({frame, head}) {
  const {series, predicted, outcome, earlier, axis, sideOf, ratio, pair} = usePage()
  const {X, Y, target: y, left, width, right, even, phone} = frame
  /** The box of a text at x; what would stand outside is moved inside. */
  const box = (/** @type {number} */ x, /** @type {string} */ text, /** @type {number} */ top, anchor = "start", height = 16) => {
    const before = {start: 0, middle: 0.5, end: 1}[anchor] ?? 0
    const from = clamp(x - before * wide(text), left - 8, Math.max(left - 8, width - right + 14 - wide(text)))
    return {x: from, y: top - 12, width: wide(text), height, at: from + before * wide(text), anchor, text, top}
  }
  const measured = series.value.filter((each) => each.reached !== null && head === null)
  const old = earlier.value.flatMap(({race, name}) => seriesOf(race, axis.value).map((one) => ({one, name}))).filter(({one}) => one.reached !== null)
  const bounds = axis.value !== "passes" ? [] : (predicted.value?.theorems ?? []).flatMap(({label, value}) => {
    return value === null ? [] : [{label, value, side: sideOf(label), inside: X(value) <= width - right + 1}]
  })
  const apart = old.filter(({one}) => !measured.some((each) => Math.abs(X(Number(each.reached)) - X(Number(one.reached))) < 8))
  const dots = [
    ...measured.map((each) => ({x: Number(each.reached), text: passes(each.reached), side: each.side, kind: "full"})),
    ...bounds.filter(({inside}) => inside).map(({value, side}) => ({x: value, text: passes(value), side, kind: "hollow"})),
    ...apart.map(({one}) => ({x: Number(one.reached), text: passes(one.reached), side: one.side, kind: "small"})),
  ]
  const taken = [
    {x: width - right + 14, y: 0, width: 500, height: 2000}, {x: -500, y: 0, width: 490 + left, height: 2000}, // outside
    {x: left, y: y - 20, width: 56, height: 18}, {x: width - right - (phone ? 190 : 275), y: Y(1) - 20, width: 300, height: 18}, // "target", title
    ...dots.map(({x}) => ({x: X(x) - 6, y: y - 6, width: 12, height: 12})),
  ]
  const curves = [...series.value, ...(predicted.value?.theorems ?? []).flatMap(({curve}) => (curve ? [{x: curve.passes, gap: curve.gap}] : []))]
  const lines = [{x: left, y: y - 1, width, height: 2}, ...curves.flatMap((each) => trail(X, Y, each.x, each.gap))]
  const numbers = place(
    dots.map(({x, text, kind}) => {
      const side = kind === "hollow" ? [1, -1] : [-1, 1]
      return [...side.map((by) => box(X(x) + 8 * by, text, y - 8, by > 0 ? "start" : "end")), ...side.map((by) => box(X(x) + 8 * by, text, y - 24, by > 0 ? "start" : "end"))]
    }),
    taken,
  )
  const boundNames = place( // before the curves', which have more room: between two bounds a name would be read of either
    bounds.map(({label, value, inside}, k) => {
      const {curve} = predicted.value?.theorems.find((each) => each.label === label) ?? {}
      const name = label.split(", ").pop() // of two that differ by their draws, these
      const text = inside && curve ? `bound, ${name}` : `bound, ${name}: ${passes(value)}${curve ? " ›" : ", of averages"}`
      if (!curve || !inside) return [box(width - right, text, Y(1) + 22 + 18 * k, "end"), box(width - right, text, y - 30 - 18 * k, "end")]
      const before = bounds.some((other) => other.inside && other.value > value) // then another bound is at its right
      const spots = [0.18, 0.4, 0.6, 0.8, 0.3, 0.5, 0.7, 0.9].map((share) => {
        const at = curve.gap.findIndex((gap) => Math.log(gap) <= share * Math.log(curve.gap[curve.gap.length - 1]))
        return [X(curve.passes[at]), Y(curve.gap[at]) + 5]
      })
      const [after, ahead] = [spots.map(([x, top]) => box(x + 10, text, top)), spots.map(([x, top]) => box(x - 10, text, top, "end"))]
      return before ? [...ahead, ...after] : [...after, ...ahead]
    }),
    [...taken, ...numbers, ...lines],
  )
  const labels = [...numbers, ...boundNames, ...place([
    ...(head === null ? series.value : []).map((each) => [0.55, 0.42, 0.3, 0.68, 0.8, 0.2].flatMap((share) => {
      const k = Math.min(each.gap.length - 1, Math.max(0, each.gap.findIndex((gap) => Math.log(gap) <= share * Math.log(each.lastGap))))
      const [x, top] = [X(each.x[k] ?? 0), Y(each.gap[k] ?? 1) + 5]
      return [box(x - 14, `${each.label} `, top, "end", 18), box(x + 14, `${each.label} `, top, "start", 18)]
    })),
    ...apart.filter(({name}, k) => head === null && !phone && k === apart.findIndex((each) => each.name === name)).map(({one, name}) => {
      const text = `earlier: ${name}`
      const k = one.gap.findIndex((gap) => gap <= 0.06)
      const [x, top] = [X(one.x[k] ?? 1), Y(one.gap[k] ?? 1)]
      return [[-80, 46], [-130, 70], [60, -20], [90, 40], [-90, -24], [70, -48]].map(([dx, dy]) => ({...box(Math.max(x + dx, left + wide(text) / 2 + 4), text, top + dy, "middle"), from: [x, top]}))
    }),
  ], [...taken, ...numbers, ...boundNames, ...lines])]
  const classes = [
    ...dots.map(({side, kind}) => (kind === "small" ? "t2" : `bold ${colour(side)}`)),
    ...bounds.map(({side}) => colour(side)), ...(head === null ? series.value : []).map(({side}) => `curve-name ${colour(side)}`),
  ]
  return (
    <g>
      {dots.toReversed().map(({x, side, kind}, k) => <circle key={k} class={`dot ${kind} ${colour(side)}`} cx={X(x)} cy={y} r={kind === "small" ? 3.5 : 5} />) /* what was measured on top */}
      {labels.map((each, k) => {
        const from = /** @type {any} */ (each).from
        return (
          <g key={k}>
            {from && <path class="leader" d={`M${from[0]} ${from[1]}L${each.at + 4} ${each.top - (each.top > from[1] ? 12 : -4)}`} />}
            <text class={`halo ${classes[k] ?? "t2"}`} x={each.at} y={each.top} text-anchor={/** @type {any} */ (each.anchor)}>{each.text}</text>
          </g>
        )
      })}
      {head === null && <Measured frame={frame} />}
      {!even && outcome.value && bounds.length > 1 && ratio.value && <Bracket frame={frame} row={2} {...ends(bounds.filter(({label}) => pair.value.includes(label)))} words="bounds say: "
        ahead={pair.value[ratio.value > 1 ? 1 : 0]} by={times(Math.max(ratio.value, 1 / ratio.value))} kind="dotted" />}
    </g>
  )
}

/** @param {{value: number}[]} bounds */
const ends = (bounds) => ({from: Math.min(...bounds.map(({value}) => value)), to: Math.max(...bounds.map(({value}) => value))})

/** @param {{frame: Frame}} props */
function Measured({frame}) {
  const {outcome, series, axis} = usePage()
  if (!outcome.value) return null
  const lowerBound = outcome.value.at_least
  const {winner, loser, lead} = leadOf(outcome.value, axis.value)
  const from = series.value.find((each) => each.label === winner)
  const to = series.value.find((each) => each.label === loser)
  if (!from || !to || !lead || from.reached === null) return null
  return <Bracket frame={frame} row={1} from={from.reached} to={to.reached ?? to.last} words="measured: " ahead={from.label} by={`${lowerBound ? "over " : ""}${times(lead)}`} open={to.reached === null} />
}

/** @param {{frame: Frame, row: number, from: number, to: number, words: string, ahead: string, by: string, kind?: string, open?: boolean}} props */
function Bracket({frame: {X, target, left, right, width}, row, from, to, words, ahead, by, kind = "", open = false}) {
  const {series, sideOf} = usePage()
  const alike = series.value.every(({label}) => methodOf(label) === methodOf(ahead)) // they differ by their draws
  const value = `${alike ? ahead.split(", ").pop() : ahead}, ${by} times`
  const y = target + 1 + 21 * row
  const [a, b] = [X(from), X(to)]
  const room = wide(words + value) + 8
  const [at, anchor] = a - room > left - 56 ? [a - 8, "end"] : b + room < width - right + 12 ? [b + 8, "start"] : [(a + b) / 2, "middle"]
  return (
    <g>
      <path class={`bracket ${kind}`} d={`M${a} ${y - 5}V${y}H${b}${open ? "m-5 -4l5 4l-5 4" : `V${y - 5}`}`} />
      <text class="halo" x={at} y={y + 5} text-anchor={/** @type {any} */ (anchor)}>{words}<tspan class={`bold ${colour(sideOf(ahead))}`}>{value}</tspan></text>
    </g>
  )
}
