/* The interface of the page's engine: types.d.ts says what each function takes and gives. */

export {bounds, passesTo, refusal, withoutTheorem} from "./bounds.js"
export {constants} from "./constants.js"
export {make} from "./making.js"
export {probabilities} from "./drawing.js"
export {load} from "./kernels.js"
export {problem} from "./problem.js"
export {columnNames, preset, readText, scaled, toLibsvm} from "./reading.js"
export {run} from "./running.js"
