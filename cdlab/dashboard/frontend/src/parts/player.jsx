// Replay, one step, the rail and the two clocks.
import {Roving} from "./roving.jsx"
import {explains} from "./term.jsx"
import {usePage} from "./page_context.js"
import {number, passes} from "../words.js"

const PLACES = 500

export function PlayButton() {
  const {replay, fresh, veiled} = usePage()
  const off = !fresh.value || veiled.value
  return replay.playing.value ? <button class="key" onClick={replay.pause}>❚❚ Pause</button>
    : <button class="key" disabled={off} onClick={replay.play}>▶ {replay.head.value === null ? "Replay" : "Go on"}</button>
}

export function Player() {
  const page = usePage()
  const {replay, fresh, veiled, state, axis, end} = page
  const off = !fresh.value || veiled.value
  const head = replay.head.value
  const place = off ? 0 : Math.round(PLACES * replay.placeOf(head))
  const unit = axis.value === "passes" ? "passes" : "rounds"
  const there = off ? `0 ${unit}` : `${head === null ? passes(end.value) : number(head)} ${unit}`
  const clock = (/** @type {boolean} */ even, /** @type {string} */ words) => (
    <button role="radio" aria-checked={state.value.even === even} class={state.value.even === even ? "on" : ""} {...explains(page.catalog.terms["×10 clock"])} onClick={() => page.set({even})}>{words}</button>
  )
  return (
    <div class="play">
      <PlayButton />
      <button disabled={off} onClick={replay.step}>One step</button>
      <input type="range" class="rail" min={0} max={PLACES} value={place} disabled={off} aria-label="Playhead" aria-valuetext={there}
        style={{"--at": `${(100 * place) / PLACES}%`}} onInput={(event) => replay.to(replay.at(Number(event.currentTarget.value) / PLACES))} />
      <b class="there">{there}</b>
      <Roving role="radiogroup" label="Clock" class="seg">{clock(false, "×10 clock")}{clock(true, "even")}</Roving>
    </div>
  )
}
