// A choice that is a number, as a slider with its value in words.
import {explains, Term} from "./term.jsx"
import {clamp} from "../scales.js"
import {PLACES, position, sliderValue, valueAt} from "../words.js"

/**
 * @param {{slider: import("../schema").Slider, value: number, words?: string, onDrag: (value: number) => void, onDone: () => void}} props
 */
export function ChoiceSlider({slider, value, words = sliderValue(slider, value), onDrag, onDone}) {
  const place = Math.round(PLACES * position(slider, value))
  const moved = (/** @type {number} */ to) => {
    const next = valueAt(slider, to / PLACES)
    return next === value && slider.whole ? clamp(value + Math.sign(to - place), slider.least, slider.most) : next // small whole numbers span many places
  }
  return (
    <label class="sl" {...explains(slider.words)}>
      <span><Term name={slider.label} /></span><b>{words}</b>
      <input type="range" min={0} max={PLACES} step={1} value={place} aria-label={slider.label} aria-valuetext={words}
        style={{"--at": `${(100 * place) / PLACES}%`}} onInput={(event) => onDrag(moved(Number(event.currentTarget.value)))} onChange={onDone} />
    </label>
  )
}
