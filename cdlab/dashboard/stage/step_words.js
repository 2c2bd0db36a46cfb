/* What an update does, in a sentence with its own numbers. */

import {counted, number} from "./formats.js"

/** @import {Lane} from "./contract.js" */

/** @typedef {{lane: Lane, updates: number, now: boolean}} Lit A run, of which so many updates have been made. */

/**
 * What the runs are doing: of several updates at one moment the longest in full.
 * @param {Lane[]} lanes @param {number} passes @param {Lit[]} lit
 */
export function sentence(lanes, passes, lit) {
  const cost = (/** @type {Lit} */ {lane, updates}) => lane.steps.nonzeros[updates - 1]
  const steps = lit.filter(({now}) => now).sort((a, b) => cost(b) - cost(a)).map((each, k) => {
    const alone = lanes.filter(({side, earlier}) => side === each.lane.side && !earlier).length === 1
    return `${what(each, alone)}${k === 0 ? follows(each) : "."}`
  })
  if (steps.length) return steps.join(" ")
  if (!lanes.length || passes === 0) return ""
  return "From here on pass by pass: equal work for all."
}

/** @param {Lit} lit @param {boolean} alone Whether the run is the only one of its side. */
function what({lane, updates}, alone) {
  const dual = lane.side === "dual", name = alone ? "" : ` of ${lane.label.split(",")[0]}`
  const lines = lane.steps.coordinates[updates - 1].map((k) => number(k + 1)), one = lines.length === 1
  return `${dual ? "Dual" : "Primal"} step ${updates}${name}: ${dual ? "example" : "feature"}${one ? "" : "s"} ${lines.join(", ")}`
}

/** @param {Lit} lit */
function follows({lane, updates}) {
  const k = updates - 1, p = lane.moves.p[k], moved = lane.moves.moved[k], weights = lane.moves.weights[k]
  const nonzeros = lane.steps.nonzeros[k], dual = lane.side === "dual"
  const drawn = p === null ? "" : ` (p = ${number(p, 2)})`
  if (!moved) return `${drawn}. ${counted(nonzeros, "nonzero")} read, ${counted(weights, "weight")} moved.`
  const [from, to] = moved.map((each) => number(each)), mine = dual ? "Its dual variable" : "Its weight"
  if (from === to) return `${drawn}. ${mine} stays at ${from}: ${counted(nonzeros, "nonzero")} read.`
  const rest = dual ? `${counted(weights, "weight")}${weights > nonzeros ? "" : " of its row"}` : `${counted(nonzeros, "prediction")}`
  return `${drawn}. ${mine} moved from ${from} to ${to}, and with it ${rest}.`
}
