/* Where a slider stands, and what that means. */

/** @typedef {{name: string, label: string, words: string, low: number, high: number, step: number, log: boolean,
 *    whole: boolean, bounds: [number, number]}} Slider */

/**
 * The value at a position: two digits, within the bounds of the choice.
 * @param {Slider} slider @param {number} position
 */
export function valueAt(slider, position) {
  const raw = slider.log ? 10 ** position : position
  const short = Number(raw.toPrecision(2))
  const value = slider.whole ? Math.round(short) : short
  return Math.min(Math.max(value, slider.bounds[0]), slider.bounds[1])
}

/**
 * The position of a value.
 * @param {Slider} slider @param {number} value
 */
export const placeOf = (slider, value) => (slider.log ? Math.log10(value) : value)

/**
 * One step of the keyboard further, so that the value changes: of whole numbers two positions may have the same.
 * @param {Slider} slider @param {number} value @param {number} by steps, also negative
 */
export function stepped(slider, value, by) {
  let position = placeOf(slider, value), found = value
  for (let k = 0; k < 100 && found === value; k++) {
    position += by * slider.step
    if (position < slider.low || position > slider.high) return valueAt(slider, by > 0 ? slider.high : slider.low)
    found = valueAt(slider, position)
  }
  return found
}
