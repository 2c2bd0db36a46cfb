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
