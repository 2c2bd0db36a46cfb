// The face-off: C_P and C_D as bars of their lines, and one ruler for guess, bounds and what was measured.
import {useRef} from "preact/hooks"
import {Explained, Term} from "./term.jsx"
import {colour, NARROW, useMedia, usePage, useSize} from "./page_context.js"
import {aheadOf, verdict} from "../curves.js"
import {clamp, logarithmic, place} from "../scales.js"
import {count, entryParts, number, times} from "../words.js"

/** @typedef {import("../schema").Sum} Sum */

const SHORT = 30 // letters that fit beside the ruler

export function FaceOff() {
  const {choices, prediction, predicted, race, outcome, why, replay, veiled, pair, ratio, ratioWords, rated, axis, sideOf} = usePage()
  const known = predicted.value ?? prediction.value
  const exact = pair.value.flatMap((label) => (rated.value?.passes[label] ? [`${label} ${number(rated.value.passes[label])}`] : []))
  const ahead = pair.value[Number(ratio.value) > 1 ? 1 : 0] // as the bounds say
  const by = times(Math.max(Number(ratio.value), 1 / Number(ratio.value)))
  const said = outcome.value?.winner !== ahead && pair.value.includes(outcome.value?.winner ?? "") ? `${ahead}, by ${by} times` : `${by} times`
  const without = pair.value.filter((label) => !known?.theorems.find((each) => each.label === label)?.curve)
  const opposed = ["primal", "dual"].every((side) => pair.value.some((label) => sideOf(label) === side))
  const {lead_low: low, lead_high: high, at_least: over} = outcome.value ?? {}
  const range = low && high && !over && axis.value === "passes" && replay.head.value === null ? `Medians of ${race.value?.draws} draws; each alone gave ${times(low) === times(high) ? times(low) : `${times(low)} to ${times(high)}`} times.` : ""
  const silent = exact.length > 1 ? `By exact rates, in passes per factor e: ${exact.join(", ")}.` : without.length && (!opposed || !ratioWords.value) && known && axis.value === "passes" ? `No theorem here bounds the gap of ${without.join(" and ")}, so the bounds are not compared.` : axis.value !== "passes" && !ratio.value ? "The bounds count passes, of which rounds are no fixed share here." : ratio.value || ratioWords.value.length < SHORT ? "" : ratioWords.value
  return (
    <section class="faceoff" aria-label="Face-off">
      <div class="r"><h2>Face-off</h2>{opposed && <span class="s"><Term name="entries × norm²">entries × norm²</Term>, {byImportance(choices.value) ? <>summed{[known?.primal, known?.dual].some((sum) => sum && namedLines(sum)) && "; dark: the heaviest"}</> : "for importance draws only"}</span>}</div>
      {opposed && known?.primal && known.dual && <Bars primal={known.primal} dual={known.dual} />}
      <Ruler />
      {range && <p class="s range">{range}</p>}
      {!veiled.value && silent && <p class="s">{silent}</p>}
      <p class="whynot">{why.value?.why_not && replay.head.value === null && <><b>Why not {said}:</b> <Explained text={why.value.why_not.sentence} /></>}</p>
    </section>
  )
}

/** Whether an entry draws by importance: the sums of all lines are about no other draws. @param {import("../state").Choices} choices */
const byImportance = ({methods, against, primal_sampling: primal, dual_sampling: dual}) =>
  [primal, dual, against, ...methods.map((/** @type {string} */ each) => entryParts(each).sampling)].includes("importance")

/** How many heaviest lines a sum's words are about, as in "3 words: 66 %"; 0 if they are about all. @param {Sum} sum */
function namedLines({words, lines}) {
  const named = Number.parseInt(words.replaceAll(",", ""), 10) || 0
  return named < lines ? named : 0
}

/** @param {{primal: Sum, dual: Sum}} props */
function Bars({primal, dual}) {
  const {veiled} = usePage()
  const box = useRef(/** @type {HTMLDivElement | null} */ (null))
  const {width} = useSize(box)
  const most = Math.max(primal.value, dual.value)
  const room = Math.max(width - 30 - 92, 10)
  const ratio = most / Math.min(primal.value, dual.value)
  return (
    <div ref={box}>
      <svg width={width} height="44" role="img" aria-label={`C_P is ${count(primal.value)}, C_D ${count(dual.value)}`}>
        {[primal, dual].map((sum, k) => {
          const [y, wide] = [2 + 23 * k, (sum.value / most) * room]
          let x = 30
          const parts = [...sum.parts.filter((part) => (part / most) * room > 0.4)]
          const large = parts.slice(0, namedLines(sum))
          const solid = large.reduce((a, b) => a + b, 0)
          const middle = 30 + ((solid || sum.value) / most) * room / 2
          const fits = 7.4 * sum.words.length < ((solid || sum.value) / most) * room - 8
          const smaller = sum.value < most && ratio >= 1.05 && !veiled.value ? `${times(ratio)} times smaller` : ""
          return (
            <g key={k} class={k ? "d" : "p"}>
              <rect x={30} y={y} width={Math.max(wide, 1)} height="16" class={solid ? "pale" : "fill"} />
              {solid > 0 && <rect x={30} y={y} width={(solid / most) * room} height="16" class="fill" />}
              {parts.map((part, i) => {
                const from = x
                const size = (part / most) * room
                x += size
                return size > 3 && i > 0 && i >= large.length && <line key={i} x1={from} x2={from} y1={y} y2={y + 16} class="seam" />
              })}
              <text x="0" y={y + 13} class="symbol">C<tspan dy="4" class="sup">{k ? "D" : "P"}</tspan></text>
              <text x={width} y={y + 13} text-anchor="end" class="bold ink-text">{number(sum.value)}</text>
              {fits && <text x={middle} y={y + 13} text-anchor="middle" class="bold paper-text">{sum.words}</text>}
              {smaller && wide < room - 140 && <text x={30 + wide + 8} y={y + 13} class="t2">{smaller}</text>}
            </g>
          )
        })}
      </svg>
    </div>
  )
}

function Ruler() {
  const page = usePage()
  const {outcome, veiled, guess, sideOf, racing, replay, axis, ratio, ratioWords, pair} = page
  const box = useRef(/** @type {HTMLDivElement | null} */ (null))
  const {width} = useSize(box)
  const bound = ratio.value
  const result = replay.head.value === null ? outcome.value : null
  const [left = "", right = ""] = pair.value
  const names = [left, right].map((label) => (sideOf(left) === sideOf(right) || [left, right].map(sideOf).includes("full") ? label : sideOf(label)))
  const raced = pair.value.flatMap((label) => result?.results.filter((each) => each.label === label) ?? [])
  const arrived = raced.filter(({reached}) => reached !== null)
  const over = arrived.length < 2 // the quotient is at least this, if the other went on for longer
  const [spent, against] = raced.map((each) => (axis.value !== "passes" ? each.iterations : each.reached ?? (each.last_passes > Number(arrived[0]?.reached) ? each.last_passes : null)))
  const measured = spent && against && arrived.length ? spent / against : null
  const values = [bound, measured].filter((value) => value !== null)
  const most = 10 ** Math.ceil(Math.log10(Math.max(3.3, ...values) * 3))
  const least = Math.min(0.2, ...values.map((value) => 10 ** Math.floor(Math.log10(value * 0.8))))
  const U = logarithmic(least, most, 80, width - 6)
  const [step, bottom] = useMedia(NARROW) ? [17, 50] : [19, 56]
  const marks = [1, 1e4, 1e-3, 1000, 0.01, 100, 10, 0.1].filter((x) => x >= least * 0.999 && x <= most * 1.001) // the outer ones first
  const line = (/** @type {number} */ x, /** @type {string} */ text) => ({text, x, y: 0, width: 7.4 * text.length, height: 15})
  const shown = place(marks.map((x) => {
    const text = x === 1 ? "even" : `${number(x < 1 ? 1 / x : x)}×`
    return {room: {left: 0, right: width, top: 0, bottom: 15}, places: [line(clamp(U(x) - 3.7 * text.length, 66, width - 7.4 * text.length), text)]}
  }), right ? [line(U(1) - 38 - 7.4 * names[0].length, `‹ ${names[0]}`), line(U(1) + 22, `${names[1]}  `)] : [])
  const side = (/** @type {number} */ x) => colour(sideOf(x >= 1 ? right : left))
  const lead = (/** @type {number} */ x) => `${times(Math.max(x, 1 / x))}×`
  const mine = guess.value ?? ""
  const judged = mine && result ? verdict(mine, result, axis.value) : ""
  const row = (/** @type {number} */ k, /** @type {number | null} */ x, /** @type {string} */ otherwise) => {
    const y = 8 + k * step
    if (x === null) {
      const room = width - U(1) - 10 >= 7 * otherwise.length
      const [at, anchor] = room ? [U(1) + 8, "start"] : [width, "end"]
      return <text x={at} y={y + 4.5} text-anchor={/** @type {any} */ (anchor)} class="t2 halo">{otherwise}</text>
    }
    const text = `${k === 2 && over ? "over " : ""}${lead(x)}`
    const room = 7.4 * text.length + 6
    const places = x >= 1 ? [U(x) + 10, U(1) - 8 - room] : [U(x) - 10 - room, U(1) + 8] // beside its own bar, within the picture
    const at = clamp(places.find((from) => from >= 66 && from + room <= width) ?? places[0], 66, width - room)
    return (
      <g class={side(x)}>
        <line x1={U(1)} x2={U(x)} y1={y} y2={y} class={k === 2 ? "thick" : "bound"} />
        <circle class={`dot ${k === 2 ? "full" : "hollow"}`} cx={U(x)} cy={y} r="5" />
        <text class="bold halo" x={at} y={y + 4.5}>{text}</text>
      </g>
    )
  }
  const said = veiled.value ? "hidden" : bound === null ? ratioWords.value || "nothing" : lead(bound)
  const unreached = result && result.results.length > 1 && result.results.every(({reached}) => reached === null)
  const nearest = result && aheadOf(result)
  const otherwise = unreached ? `${nearest ? `${nearest} ahead` : "about even"}, ${result.results.length > 2 ? "none" : "neither"} at the target` : result?.winner && arrived.some(({reached}) => reached === 0) ? `${result.winner} there at the start` : arrived.length === 1 ? `only ${arrived[0].label} at the target` : result ? "no lead" : racing.value ? "racing …" : outcome.value ? "in replay" : "not yet"
  return (
    <div ref={box} class="ruler">
      {width > 0 && <svg width={width} height={bottom + 19} role="img" aria-label={`Bounds say ${said}; measured ${measured === null ? otherwise : lead(measured)}`}>
        {marks.map((x, k) => (
          <g key={x}>
            <line x1={U(x)} x2={U(x)} y1={0} y2={bottom - 2} class={x === 1 ? "ink" : "grid"} />
            {shown[k] && <text x={shown[k].x} y={bottom + 13} class="t2">{shown[k].text}</text>}
          </g>
        ))}
        {right && <>
          <text x={U(1) - 22} y={bottom + 13} text-anchor="end" class={`halo ${colour(sideOf(left))}`}>‹ {names[0]}</text>
          <text x={U(1) + 22} y={bottom + 13} class={`halo ${colour(sideOf(right))}`}>{names[1]} ›</text>
        </>}
        {["your guess", "bounds say", "measured"].map((words, k) => <text key={words} x="0" y={12.5 + k * step} class={k === 2 ? "bold" : ""}>{words}</text>)}
        {mine ? <text x={U(1) + (mine === left ? -8 : 8)} y={12.5} text-anchor={mine === left ? "end" : "start"} class={mine === "even" ? "t2" : colour(sideOf(mine))}>{mine}{judged === "right" ? " ✓" : judged === "wrong" ? " ✗" : ""}</text>
          : <text x={U(1) + 12} y={12.5} class="t2">{veiled.value ? "?" : "–"}</text>}
        {veiled.value ? [1, 2].map((k) => <text key={k} x={U(1) + 8} y={12.5 + k * step} class="t2">after your guess</text>)
          : <>{row(1, bound, axis.value === "passes" && ratioWords.value && ratioWords.value.length < SHORT ? ratioWords.value : "no ratio")}{row(2, measured, otherwise)}</>}
      </svg>}
    </div>
  )
}
