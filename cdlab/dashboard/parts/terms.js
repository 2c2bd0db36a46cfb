/* What the words say that stand beside pictures and in the outcome; those of the choices come with them. */

const PASS = "As much work as reading every nonzero of X once. The work of all methods is counted in passes."
const NONZERO = "An entry of X that is not 0. A step costs as many as stand in the row or column that it reads."
const GAP = "P − D. D never exceeds the least P, so P is no further above it than the gap: a small gap proves that a run is done."

/** @type {Record<string, string>} */
export const PASSES = {pass: PASS, passes: PASS}

/** @type {Record<string, string>} */
export const NONZEROS = {nonzero: NONZERO, nonzeros: NONZERO}

/** @type {Record<string, string>} */
export const GAPS = {gap: GAP}

const VALUES = "The small strip: steps make P(w) fall and the dual value D rise towards P*, which lies between them. "
  + "The shaded gap P − D proves how far P(w) can still be above P*, without P* being known."
const OWN = "This is a small problem, of a dozen examples and the same loss, and a pass is one over its examples, not over the data of the race: at each tick "
  + "of the clock it makes one update, and at the end of the clock it is at its own end."

/** @type {Record<string, string>} */
export const PLANE = {"P and D": VALUES, "own passes": OWN}

/** @type {Record<string, string>} */
export const THEOREMS = {
  P: "P(w) = (1/n) Σ φ(xᵢ·w, yᵢ) + (λ/2)‖w‖²: the mean loss φ over the examples, and the regulariser; where l1 is not 0, also l1 ‖w‖₁. P* is the least P. "
    + "Which loss and which λ: over the curves.",
  l2: "The λ of the formulas: the weight of ½‖w‖² in P. It is set in Advanced, as L2 weight.",
}

/** What C of a side is. @type {Record<string, string>} */
export const SUMS = {
  primal: "Each feature's nonzeros times its squared norm, summed: what theory says primal steps cost. Each stripe is a feature, the largest first; the palest part is all the others.",
  dual: "Each example's nonzeros times its squared norm, summed: what theory says dual steps cost. Each stripe is an example, the largest first; the palest part is all the others.",
}
