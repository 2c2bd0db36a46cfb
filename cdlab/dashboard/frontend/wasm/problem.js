/* A problem in the memory of its kernels; products, points and the values of P and D, all by kernels. */

import {Kernels} from "./kernels.js"

/** @typedef {import("./kernels.js").NDArray} NDArray @typedef {import("./types").Data} Data */
/** @typedef {{w: NDArray, z?: NDArray, alpha?: NDArray, v?: NDArray}} Points */

const CLASSES = 20 // more distinct numbers are a quantity; `problems/labels.py`

/** @param {import("./types").Lab} lab @param {Data} data @param {import("./types").Weights} weights */
export async function problem(lab, data, weights) {
  return new Problem(await Kernels.open(lab), data, weights)
}

/** P(w) = (1/n) sum_i phi(x_i'w; y_i) + (l2/2)||w||^2 + l1 ||w||_1. */
export class Problem {
  /** @param {Kernels} memory @param {Data} data @param {import("./types").Weights} weights */
  constructor(memory, data, {loss, gamma, l2, l1 = 0}) {
    const facts = memory.file.losses[loss]
    if (!facts) throw new Error(`there is no loss ${JSON.stringify(loss)} here: take ${Object.keys(memory.file.losses).join(", ")}`)
    if (!(l2 > 0 && l2 < Infinity)) throw new Error(`l2 must be a finite number above 0 here, not ${l2}`)
    if (!(l1 >= 0 && l1 < Infinity)) throw new Error(`l1 must be a finite number of at least 0, not ${l1}`)
    if (gamma !== undefined && !(facts.chosen && gamma > 0 && gamma < Infinity)) throw new Error(`gamma = ${gamma} does not fit the ${loss} loss`)
    this.memory = memory
    this.loss = loss
    this.l2 = l2
    this.l1 = l1
    this.gamma = gamma ?? facts.gamma
    this.lipschitz = facts.lipschitz ?? Infinity
    this.struct = gamma === undefined ? facts.struct : {...facts.struct, gamma}
    this.reg = l1 > 0 ? {_: "ElasticNet", l2, l1} : {_: "L2", l2}
    this.data = data
    this.n = data.n
    this.d = data.d
    const kept = withoutZeros(data)
    this.y = memory.floats(facts.classification ? signs(data.y, loss) : data.y)
    this.rows = this.seen(lines(memory, kept))
    this.columns = this.seen(lines(memory, transposed(kept)))
    this.rowProfile = this.profile(this.rows.X, this.n)
    this.columnProfile = this.profile(this.columns.X, this.d)
    this.nnz = this.rowProfile.counts.reduce((a, b) => a + b, 0)
    if (this.nnz === 0) throw new Error("X has no entry that is not 0: there is nothing to run on")
    this.running = 0 // runs whose arrays lie in the memory
    this.start = memory.top
    this.atZero = memory.scratch(() => {
      const w = memory.array("float64", [this.d]), z = memory.array("float64", [this.n]), v = memory.array("float64", [this.d])
      return {P: this.primal({w, z}), D: this.dual({w, alpha: memory.array("float64", [this.n]), v})}
    })
  }

  /** The problem as kernels see it. @param {any} X */
  seen(X) {
    return {_: "View", X, y: this.y, loss: this.struct, reg: this.reg}
  }

  /** Squared norms and nonzeros of lines. @param {any} X @param {number} size */
  profile(X, size) {
    return this.memory.scratch(() => {
      const norms2 = this.memory.array("float64", [size]), counts = this.memory.array("int64", [size])
      this.memory.call("_measure_lines", X, norms2, counts)
      return {norms2: Float64Array.from(norms2.view), counts: Float64Array.from(counts.view, Number)}
    })
  }

  /** z = X w. @param {NDArray} w */
  predict(w) {
    return this.times(this.rows.X, w, this.n)
  }

  /** @param {any} X @param {NDArray} w @param {number} size */
  times(X, w, size) {
    const z = this.memory.array("float64", [size])
    this.memory.call("_dots", X, w, z)
    return z
  }

  /** X'c, by the lines of X. @param {any} X @param {NDArray} c @param {number} size */
  transposedTimes(X, c, size) {
    const v = this.memory.array("float64", [size])
    this.memory.call("_add_lines", X, c, v)
    return v
  }

  /** v = X'alpha/n. @param {NDArray} alpha */
  v(alpha) {
    const v = this.transposedTimes(this.rows.X, alpha, this.d), {view} = v
    for (let j = 0; j < this.d; j++) view[j] /= this.n
    return v
  }

  /** alpha_i = -phi'(z_i). @param {NDArray} z */
  alpha(z) {
    const alpha = this.memory.array("float64", [this.n])
    this.memory.call("minus_slopes", this.struct, z, this.y, alpha)
    return alpha
  }

  /** w = grad g*(v). @param {NDArray} v @param {any} [reg] */
  dualPoint(v, reg = this.reg) {
    const w = this.memory.array("float64", [v.size])
    this.memory.call("dual_point", reg, v, w)
    return w
  }

  /** prox_{step g}(x). @param {NDArray} x @param {number} step */
  prox(x, step) {
    const w = this.memory.array("float64", [x.size])
    this.memory.call("prox_point", this.reg, x, step, w)
    return w
  }

  /** P(w). @param {Points} at */
  primal({w, z = this.predict(w)}) {
    return this.memory.call("mean_loss_of", this.struct, z, this.y) + this.memory.call("regularizer_of", w, this.reg.l2, this.l1)
  }

  /** D at the dual point at hand, else at alpha(w). @param {Points} at */
  dual({w, z, alpha = this.alpha(z ?? this.predict(w)), v = this.v(alpha)}) {
    return -this.memory.call("mean_conjugate_of", this.struct, alpha, this.y) - this.memory.call("conjugate_of_regularizer", this.reg, v)
  }

  /** The dual point at hand, else alpha(w), with its D; alpha = 0 where that is better. @param {Points} at */
  certified(at) {
    const alpha = at.alpha ?? this.alpha(at.z ?? this.predict(at.w)), D = this.dual({...at, alpha})
    return D < this.atZero.D ? {alpha: this.memory.array("float64", [this.n]), D: this.atZero.D} : {alpha, D}
  }
}

// ------------------------------------------------------------ matrices
/** @param {Data} data @returns {Data} */
function withoutZeros(data) {
  const {n, values, indices, indptr} = data
  for (const x of values) if (!Number.isFinite(x)) throw new Error("X contains NaN or infinity; fill or remove them first")
  if (!indices || !indptr || values.every((x) => x !== 0)) return data
  const kept = {...data, values: values.filter((x) => x !== 0), indices: indices.filter((_, e) => values[e] !== 0), indptr: new Uint32Array(n + 1)}
  for (let i = 0; i < n; i++) {
    let count = 0
    for (let e = indptr[i]; e < indptr[i + 1]; e++) if (values[e] !== 0) count += 1
    kept.indptr[i + 1] = kept.indptr[i] + count
  }
  return kept
}

/** X by its lines, for kernels. @param {Kernels} memory @param {Data} data */
function lines(memory, {n, d, values, indices, indptr}) {
  if (!indices || !indptr) return {_: "Dense", a: memory.array("float64", [n, d], values), ahead: 0}
  return {_: "Sparse", data: memory.floats(values), indices: memory.array("uint32", [indices.length], indices), indptr: memory.array("uint32", [n + 1], indptr), ahead: 0}
}

/** @param {Data} data @returns {Data} */
function transposed({n, d, values, indices, indptr, y}) {
  const turned = new Float64Array(values.length)
  if (!indices || !indptr) {
    for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) turned[j * n + i] = values[i * d + j]
    return {n: d, d: n, values: turned, y}
  }
  const starts = new Uint32Array(d + 1), rows = new Uint32Array(values.length)
  for (const j of indices) starts[j + 1] += 1
  for (let j = 0; j < d; j++) starts[j + 1] += starts[j]
  const next = starts.slice()
  for (let i = 0; i < n; i++) {
    for (let e = indptr[i]; e < indptr[i + 1]; e++) {
      const at = next[indices[e]]++
      turned[at] = values[e]
      rows[at] = i
    }
  }
  return {n: d, d: n, values: turned, indices: rows, indptr: starts, y}
}

/** Labels as -1 and 1: of two values the larger becomes 1; a single one is kept, and 0 becomes -1. @param {Float64Array} y @param {string} loss */
function signs(y, loss) {
  const values = [...new Set(y)].sort((a, b) => a - b)
  if (values.length > CLASSES) throw new Error(`y has ${values.length} distinct numbers: that is a quantity, and the ${loss} loss separates two classes; use the squared loss`)
  if (values.length > 2) throw new Error(`y has ${values.length} distinct labels and the ${loss} loss separates two classes; take the squared loss for real targets`)
  if (values.length === 1 && ![-1, 0, 1].includes(values[0])) throw new Error(`all labels are ${values[0]}: a single class must be +1, or -1 or 0 for the negative class`)
  const high = values.length === 2 ? values[1] : 1
  return Float64Array.from(y, (label) => (label === high ? 1 : -1))
}
