/* Where a run is at a moment of the clock. */

/** @import {Lane, Steps} from "./contract.js" */

/**
 * How many entries of a list that does not fall are at most x.
 * @param {number[]} list @param {number} x
 */
export function upTo(list, x) {
  let low = 0, high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle] <= x) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * What was last known of a run after so many passes: after an update if its first ones are still going on, else at a
 * measurement. `updates` is null where updates are no longer shown one by one.
 * @param {Lane} lane @param {number} passes
 */
export function at(lane, passes) {
  const {steps} = lane, done = upTo(steps.passes, passes), measured = upTo(lane.passes, passes) - 1
  const oneByOne = done < steps.passes.length || passes <= (steps.passes.at(-1) ?? -1)
  const fromStep = done > 0 && steps.passes[done - 1] >= (lane.passes[measured] ?? 0)
  const [from, index] = fromStep ? [steps, done - 1] : [lane, Math.max(measured, 0)]
  return {
    updates: oneByOne ? done : null,
    error: from.error[index] ?? null,
    gap: from.gap[index] ?? null,
    primal: from.primal[index] ?? null,
    dual: from.dual[index] ?? null,
  }
}

/**
 * The points of a curve: the start, the first updates, then the measurements.
 * @param {Lane} lane
 * @returns {{xs: number[], ys: (number | null)[]}}
 */
export function curve(lane) {
  const {steps} = lane, from = Math.max(1, upTo(lane.passes, steps.passes.at(-1) ?? 0))
  return {
    xs: [lane.passes[0] ?? 0, ...steps.passes, ...lane.passes.slice(from)],
    ys: [lane.error[0] ?? null, ...steps.error, ...lane.error.slice(from)],
  }
}

/**
 * How often each cell was drawn from in the first so many updates.
 * @param {Steps} steps @param {number} updates @param {number} lines @param {number} cells
 * @returns {number[]}
 */
export function drawn(steps, updates, lines, cells) {
  const counts = new Array(cells).fill(0)
  for (const each of steps.coordinates.slice(0, updates)) for (const k of each) counts[cellOf(k, lines, cells)] += 1
  return counts
}

/**
 * The cell in which a row or column lies.
 * @param {number} k @param {number} lines @param {number} cells
 */
export const cellOf = (k, lines, cells) => Math.floor((k * cells) / lines)
