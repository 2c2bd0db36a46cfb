/* Data made in the page by the draws of `cdlab.datasets.make`: the same arguments and seed give the same data. */

import {Kernels} from "./kernels.js"
import {Generator} from "./random.js"

/** @typedef {import("./types").Data} Data @typedef {import("./random.js").Generator} Random @typedef {Record<string, any>} Arguments */

const SPARSE_BELOW = 0.3 // density

/** @param {import("./types").Lab} lab @param {string} name @param {Arguments} [given] @returns {Promise<Data>} */
export async function make(lab, name, given = {}) {
  const maker = MAKERS[name]
  if (!maker) throw new Error(`no generator is called ${JSON.stringify(name)} here (there are ${Object.keys(MAKERS).join(", ")})`)
  for (const key of ["n", "d"]) if (given[key] !== undefined && !(Number.isInteger(given[key]) && given[key] >= 1)) throw new Error(`${key} must be a whole number >= 1, not ${given[key]}`)
  return maker(new Generator(await Kernels.open(lab), given.seed ?? 0), given)
}

/** @type {Record<string, (random: Random, given: Arguments) => Data>} */
const MAKERS = {
  synthetic,
  /** The first entry a, the rest of the first column b, the rest of the first row c. */
  arrow(random, {n, d, a, b, c}) {
    const rows = Array.from({length: n}, (_, i) => (i === 0 ? [a, ...new Array(d - 1).fill(c)] : [b]))
    return {...stacked(rows.map((row) => row.map((value, j) => ({j, value})).filter(({value}) => value !== 0)), d), y: signs(random, n)}
  },
  worst_dual: (random, {n, d, alpha}) => ({...stacked(unequalRows(d, n, alpha), d), y: signs(random, n)}),
  worst_primal(random, {n, d, alpha}) {
    const columns = unequalRows(n, d, alpha), rows = /** @type {{j: number, value: number}[][]} */ (Array.from({length: n}, () => []))
    columns.forEach((column, j) => { for (const {j: i} of column) rows[i].push({j, value: 1}) })
    return {...stacked(rows, d), y: signs(random, n)}
  },
  /** Every two examples of norm 1 with the inner product c: the lower triangle of Cholesky's factor. */
  sun_ye(random, {n, c = 0.95}) {
    const s0 = 1 - c, values = new Float64Array(n * n)
    for (let j = 0, left = 1; j < n; j++) {
      const diagonal = Math.sqrt(left), below = left > 0 ? (left - s0) / diagonal : 0
      values[j * n + j] = diagonal
      for (let i = j + 1; i < n; i++) values[i * n + j] = below
      left = Math.max(left - below * below, 0)
    }
    return {n, d: n, values, y: signs(random, n)}
  },
}

/** Random examples and labels of a linear model. @param {Random} random @param {Arguments} given @returns {Data} */
function synthetic(random, {n = 1000, d = 200, density = 1, skew = 0, row_spread = 0, condition = 1, noise = 0.1, values = "real", task = "classification"}) {
  const popularity = columnPopularity(d, density, skew), X = density < SPARSE_BELOW ? sparse(random, n, popularity) : dense(random, n, popularity)
  if (values === "real") {
    const normals = random.normals(X.values.length)
    X.values = X.values.map((x, e) => x * normals[e])
    if (condition > 1) shapeSpectrum(random, X, condition, density === 1)
    if (row_spread > 0) {
      const factors = random.normals(n).map((x) => Math.exp(row_spread * x))
      eachEntry(X, (i, _, e) => { X.values[e] *= factors[i] })
    }
  }
  return {...X, y: labels(random, X, noise, task)}
}

/** pi_j = min(1, t (j + 1)^-skew) with t such that the mean is `density`. @param {number} d @param {number} density @param {number} skew */
function columnPopularity(d, density, skew) {
  if (density === 1) return new Float64Array(d).fill(1)
  const weight = Float64Array.from({length: d}, (_, j) => (j + 1) ** -skew), tail = weight.slice()
  for (let j = d - 2; j >= 0; j--) tail[j] += tail[j + 1]
  for (let full = 0; ; full++) {
    const scale = (density * d - full) / tail[full]
    if (scale * weight[full] <= 1 || full === d - 1) return weight.map((each, j) => (j < full ? 1 : scale * each))
  }
}

/** Entries with probability pi_j: Poisson numbers of balls on the places of each column, of which those hit are kept. @param {Random} random @param {number} n @param {Float64Array} popularity */
function sparse(random, n, popularity) {
  const d = popularity.length, full = popularity.map((p) => (p >= 1 ? 1 : 0)), balls = random.poissons(popularity.map((p, j) => (full[j] ? 0 : -n * Math.log1p(-p))))
  const total = balls.reduce((a, b) => a + b, 0), rows = random.whole(n, total), always = Array.from(full.keys()).filter((j) => full[j])
  const places = new Float64Array(total + n * always.length)
  for (let j = 0, e = 0; j < d; j++) for (let ball = 0; ball < balls[j]; ball++, e++) places[e] = rows[e] * d + j
  for (let i = 0, e = total; i < n; i++) for (const j of always) places[e++] = i * d + j
  const hit = places.sort().filter((place, e, all) => e === 0 || place > all[e - 1])
  const indptr = new Uint32Array(n + 1)
  for (const place of hit) indptr[Math.floor(place / d) + 1] += 1
  for (let i = 0; i < n; i++) indptr[i + 1] += indptr[i]
  return {n, d, values: new Float64Array(hit.length).fill(1), indices: Uint32Array.from(hit, (place) => place % d), indptr}
}

/** @param {Random} random @param {number} n @param {Float64Array} popularity @returns {Omit<Data, "y">} */
function dense(random, n, popularity) {
  const d = popularity.length, values = new Float64Array(n * d).fill(1)
  if (popularity.every((p) => p === 1)) return {n, d, values}
  return {n, d, values: random.kernels.scratch(() => random.doubles(random.kernels.array("float64", [n * d])).view.map((/** @type {number} */ u, /** @type {number} */ e) => Number(u < popularity[e % d])))}
}

/** Scale the columns geometrically; of dense data, also rotate. @param {Random} random @param {Omit<Data, "y">} X @param {number} condition @param {boolean} mixed */
function shapeSpectrum(random, X, condition, mixed) {
  const {d} = X, scales = random.permutation(Float64Array.from({length: d}, (_, j) => condition ** ((-0.5 * j) / (d - 1))))
  eachEntry(X, (_, j, e) => { X.values[e] *= scales[j] })
  if (mixed && !X.indices) X.values = cosineTransform(X.values, d)
}

/** The orthogonal cosine transform of every row (DCT-II). @param {Float64Array} values @param {number} d */
function cosineTransform(values, d) {
  const wave = Float64Array.from({length: 4 * d}, (_, k) => Math.cos((Math.PI * k) / (2 * d))), out = new Float64Array(values.length)
  for (let k = 0; k < d; k++) {
    const scale = Math.sqrt((k === 0 ? 1 : 2) / d)
    for (let start = 0; start < values.length; start += d) {
      let total = 0
      for (let j = 0; j < d; j++) total += values[start + j] * wave[(k * (2 * j + 1)) % (4 * d)]
      out[start + k] = scale * total
    }
  }
  return out
}

/** Signs, or values, of the noisy x'w. @param {Random} random @param {Omit<Data, "y">} X @param {number} noise @param {string} task */
function labels(random, X, noise, task) {
  const w = random.normals(X.d), score = new Float64Array(X.n)
  eachEntry(X, (i, j, e) => { score[i] += X.values[e] * w[j] })
  const unit = Math.sqrt(score.reduce((total, x) => total + x * x, 0) / X.n) || 1, disturbance = random.normals(X.n)
  score.forEach((_, i) => { score[i] += noise * unit * disturbance[i] })
  if (task === "regression") return score
  const coin = signs(random, X.n), y = score.map((x, i) => (x === 0 ? coin[i] : Math.sign(x)))
  if (X.n > 1 && y.every((label) => label === y[0])) { // one class only: the least certain example changes sides
    const least = score.reduce((at, x, i) => (Math.abs(x) < Math.abs(score[at]) ? i : at), 0)
    y[least] *= -1
  }
  return y
}

/** choice([-1, 1], n). @param {Random} random @param {number} n */
function signs(random, n) {
  return random.whole(2, n).map((side) => 2 * side - 1)
}

/** Full rows, one row that is partly full, then single ones dealt round the columns. @param {number} d @param {number} n @param {number} ones */
function unequalRows(d, n, ones) {
  const least = Math.max(d, n)
  if (!(Number.isInteger(ones) && ones >= least && ones <= d * n)) throw new Error(`alpha must be from max(d, n) = ${least} (no empty row or column) to d n = ${d * n}, not ${ones}`)
  const full = d > 1 ? Math.floor((ones - n) / (d - 1)) : n, rest = d > 1 ? (ones - n) % (d - 1) : 0
  let next = 0
  return Array.from({length: n}, (_, i) => {
    const count = i < full ? d : i === full ? rest + 1 : 1
    return Array.from({length: count}, (_, k) => ({j: i < full ? k : next++ % d, value: 1}))
  })
}

// ------------------------------------------------------------ matrices
/** @param {Omit<Data, "y">} X @param {(i: number, j: number, e: number) => void} f */
export function eachEntry({n, d, indices, indptr}, f) {
  for (let i = 0; i < n; i++) {
    if (indices && indptr) for (let e = indptr[i]; e < indptr[i + 1]; e++) f(i, indices[e], e)
    else for (let j = 0; j < d; j++) f(i, j, i * d + j)
  }
}

/** The sparse matrix of these rows. @param {{j: number, value: number}[][]} rows @param {number} d */
export function stacked(rows, d) {
  const entries = rows.flat(), indptr = new Uint32Array(rows.length + 1)
  rows.forEach((row, i) => { indptr[i + 1] = indptr[i] + row.length })
  return {n: rows.length, d, values: Float64Array.from(entries, ({value}) => value), indices: Uint32Array.from(entries, ({j}) => j), indptr}
}
