// The verdict on a certificate, one statement after another, as cdlab/checker.py has it: its docstring is the proof.
import {Rejected, floats, number, ofFeatures, readCertificate, require} from "./certificate.js"
import {prepare, readData} from "./data.js"
import {ZERO, absolute, add, ceiling, compare, decimal, divide, double, expUp, fraction, lnUp, multiply, subtract} from "./exact.js"

/** @typedef {import("./exact.js").Fraction} Fraction */
/** @typedef {{statement: string, words: string, holds: boolean, examples?: string[][]}} Step  words: why it holds, or what is true instead */
/** @typedef {{kind: string, low: Fraction | null, high: Fraction | null, eps: Fraction, gamma: Fraction | null, K: number}} Loss  null: infinite; of entropies, which have no gamma */

const GRID = 1n << 1200n // what is rounded becomes a multiple of 1/GRID
/** phi is a function of the margin y z, of the residual z - y or of all z; low and high; its parameters. @type {Record<string, [string, number | null, number | null, ...string[]]>} */
const LOSSES = {
  squared: ["residual", null, null, "c"], squared_hinge: ["margin", null, 0, "c"],
  huber: ["residual", -1, 1, "gamma"], smooth_hinge: ["margin", -1, 0, "gamma"],
  absolute: ["residual", -1, 1], hinge: ["margin", -1, 0], pinball: ["residual", -1, 1, "quantile", "gamma"],
  epsilon_insensitive: ["residual", -1, 1, "epsilon", "gamma"], squared_epsilon_insensitive: ["residual", null, null, "epsilon", "c"],
  logistic: ["margin", -1, 0], softmax: ["classes", -1, 1],
}
const SHOWN = 8 // examples
const PAUSE = 30 // milliseconds of arithmetic between two looks at the reader

/** The least multiple of 1/GRID that is at least x, times GRID. @param {Fraction} x */
const up = ({n, d}) => ceiling(n * GRID, d)
/** @param {Fraction[]} all @returns {Fraction} */
const total = (all) => all.reduce(add, ZERO)

/** The loss of a certificate: a row of the table. @param {any} known @param {number} K @returns {Loss} */
function readLoss(known, K) {
  require(Object.hasOwn(LOSSES, known?.name), `the loss is one of ${Object.keys(LOSSES).join(", ")}`)
  const [kind, low, high, ...parameters] = LOSSES[known.name]
  require(Object.keys(known).sort().join() === ["name", ...parameters].sort().join(), `the loss ${known.name} has its parameters ${parameters}`)
  const {c = null, quantile = null, epsilon = ZERO, gamma = ZERO} = Object.fromEntries(parameters.map((each) => [each, fraction(number(each, known[each], 0))]))
  require((!c || c.n > 0n) && (!quantile || (quantile.n > 0n && quantile.n < quantile.d)), "c > 0, and quantile is between 0 and 1")
  const [least, most] = quantile ? [negative(quantile), subtract(fraction(1), quantile)] : [low, high].map((end) => (end === null ? null : fraction(end)))
  return {kind, low: least, high: most, eps: epsilon, gamma: known.name === "logistic" || kind === "classes" ? null : c ? {n: c.d, d: 2n * c.n} : gamma, K}
}

/** @param {Fraction} x @returns {Fraction} */
const negative = ({n, d}) => ({n: -n, d})
/** x, or the end of [low, high] that it is beyond; null is an infinite one. @param {Fraction} x @param {Fraction | null} low @param {Fraction | null} high */
const clip = (x, low, high) => (low && compare(x, low) < 0 ? low : high && compare(x, high) > 0 ? high : x)

/** The maximum of B r - eps |B| - (gamma/2) B^2 over low <= B <= high, which hold 0. @param {Fraction} r @param {{low: Fraction | null, high: Fraction | null, eps: Fraction, gamma: Fraction}} term */
function greatest(r, {low, high, eps, gamma}) {
  const t = subtract(r, clip(r, negative(eps), eps))
  const slope = gamma.n ? clip(divide(t, gamma), low, high) : t.n < 0n ? low : t.n ? high : ZERO
  require(slope, "g_j* is finite at V_j/S for every j")
  return multiply(slope, subtract(t, multiply({n: gamma.n, d: 2n * gamma.d}, slope)))
}

/** s phi and s phi*(-a/s), phi the value of the best slope. @param {Loss} loss @param {Fraction} gamma @param {Fraction} r @param {Fraction} a @param {Fraction} s @param {Fraction} target @returns {[Fraction, Fraction]} */
function best(loss, gamma, r, a, s, target) {
  const curved = a.n ? divide(multiply({n: gamma.n, d: 2n * gamma.d}, multiply(a, a)), s) : ZERO
  return [multiply(s, greatest(r, {...loss, gamma})), subtract(add(multiply(loss.eps, absolute(a)), curved), multiply(a, target))]
}

/** s ln(sum_k exp(rises_k)) and sum_k p_k ln(p_k/s), p_k the masses: phi and phi* of logistic and softmax. @param {Fraction[]} rises @param {Fraction[]} masses @param {Fraction} s @returns {[Fraction, Fraction]} */
function entropy(rises, masses, s) {
  const top = rises.reduce((a, b) => (compare(a, b) < 0 ? b : a))
  const sum = total(rises.map((rise) => expUp(subtract(rise, top))))
  const conjugate = total(masses.filter((p) => p.n > 0n && compare(p, s) < 0).map((p) => multiply(p, lnUp(divide(p, s)))))
  return [multiply(s, add(top, lnUp(sum))), conjugate]
}

/** s phi(z; y) and s phi*(-a/s) of one example, times GRID and rounded up; null where phi* is infinite. @param {Loss} loss @param {Fraction[]} z @param {Fraction[]} a @param {number} y @param {Fraction} s @returns {[bigint, bigint] | null} */
function example(loss, z, a, y, s) {
  const {kind, low, high, gamma, K} = loss
  /** @param {[Fraction, Fraction]} both @returns {[bigint, bigint]} */
  const rounded = ([phi, conjugate]) => [up(phi), up(conjugate)]
  if (K > 1) { // the number a of the own class is minus the sum of the others
    const masses = a.map((each, k) => (k === y ? add(s, total(a.filter((_, j) => j !== y))) : {n: -each.n, d: each.d}))
    return a[y].n === 0n && masses.every(({n}) => n >= 0n) ? rounded(entropy(z.map((each) => subtract(each, z[y])), masses, s)) : null
  }
  const side = kind === "margin" ? BigInt(y) : 1n // of a margin y is 1 or -1
  const [point, slope, target] = [{n: side * z[0].n, d: z[0].d}, {n: side * a[0].n, d: a[0].d}, kind === "margin" ? fraction(1) : fraction(y)]
  const least = low && multiply(low, s), most = high && multiply(high, s)
  if (slope.n && (s.n === 0n || compare(clip(negative(slope), least, most), negative(slope)))) return null
  return rounded(gamma ? best(loss, gamma, subtract(point, target), slope, s, target) : entropy([ZERO, negative(point)], [slope, subtract(s, slope)], s))
}

/** P(w) and D(α), the first no smaller, the second no larger than they are. @param {any} known @param {import("./data").Row[]} rows @param {number[]} y @param {(share: number) => void} progress @returns {Promise<{primal: Fraction, dual: Fraction, examples: string[][]}>} the first examples: z, alpha, phi and what it is at least */
async function valuesOf(known, rows, y, progress) {
  const {problem, data} = known
  const [n, K] = [rows.length, Number(data.classes ?? 1)]
  const [l2, l1] = [fraction(number("l2", problem.l2, 0)), fraction(number("l1", problem.l1, 0))]
  const {lower, upper, factor} = await ofFeatures(known)
  const loss = readLoss(problem.loss, K), {kind} = loss
  const allowed = kind === "margin" ? [-1, 1] : [...Array(K).keys()]
  require((kind === "residual" || y.every((each) => allowed.includes(each))) && K > 1 === (kind === "classes"), "labels are as the loss takes them")
  require(K === 1 || !problem.offset, "offsets are of losses of one prediction")
  const isFree = problem.intercept === "free"
  const constant = problem.intercept === null ? [] : [isFree ? 1 : number("intercept", problem.intercept)]
  const d = Number(data.features) + constant.length
  const [w, alpha] = [await floats("w", known.w, d * K), await floats("alpha", known.alpha, n * K)]
  const weights = problem.weights === null ? new Float64Array(n).fill(1) : await floats("weights", problem.weights, n, 0)
  require(weights.some((each) => each > 0), "a weight is positive")
  const offsets = problem.offset ? await floats("offset", problem.offset, n) : null

  // A double is a whole number over a power of two. 2^u is one that suffices for all: they become whole numbers, in units of 2^-u.
  let u = 0
  for (const numbers of [w, alpha, constant, factor, ...rows.map(({values}) => values)]) for (const x of numbers) u = Math.max(u, double(x).places)
  const inUnits = (/** @type {number} */ x) => (({n, places}) => n << BigInt(u - places))(double(x))
  const [U, W, A, last] = [1n << BigInt(u), Array.from(w, inUnits), Array.from(alpha, inUnits), constant.map(inUnits)]
  const s = Array.from(weights, fraction)
  const S = total(s)
  const V = Array.from({length: K}, () => Array(d).fill(0n))
  const examples = []
  let [losses, conjugates, asked] = [0n, 0n, Date.now()]
  for (let i = 0; i < n; i++) {
    const columns = constant.length ? [...rows[i].columns, d - 1] : rows[i].columns
    const values = [...rows[i].values.map(inUnits), ...last]
    const offset = offsets ? fraction(offsets[i]) : ZERO
    const z = V.map((_, k) => add({n: values.reduce((sum, x, e) => sum + x * W[columns[e] * K + k], 0n), d: U * U}, offset))
    const a = A.slice(i * K, (i + 1) * K)
    const found = example(loss, z, a.map((each) => ({n: each, d: U})), y[i], s[i])
    require(found, `alpha of example ${i + 1} is where the loss's conjugate is finite`)
    losses += found[0]
    conjugates += found[1] + up(multiply({n: a[0], d: U}, offset))
    if (K === 1 && i < SHOWN) {
      const slope = {n: a[0], d: U}
      const least = subtract({n: -found[1], d: GRID}, multiply(slope, z[0]))
      examples.push([z[0], slope, {n: found[0], d: GRID}, least].map((each) => decimal(each, 6)))
    }
    if (K > 1) a[y[i]] = -a.reduce((sum, each) => sum + each, 0n)
    for (const [k, slope] of a.entries()) if (slope) for (const [e, x] of values.entries()) V[k][columns[e]] += slope * x
    if (Date.now() - asked > PAUSE) {
      progress((i + 1) / n)
      await new Promise((resolve) => setTimeout(resolve))
      asked = Date.now()
    }
  }
  let [squares, sizes, conjugate] = [0n, 0n, 0n] // times factors; a free intercept has neither those nor bounds
  for (const [j, x] of W.entries()) {
    const at = Math.floor(j / K), isFeature = at < factor.length, p = isFeature ? inUnits(factor[at]) : 0n
    const [low, high] = (isFeature ? [lower[at], upper[at]] : [-Infinity, Infinity]).map((end) => (Number.isFinite(end) ? fraction(end) : null))
    const there = {n: x, d: U}
    require(clip(there, low, high) === there, `w_${at + 1} is from ${lower[at]} to ${upper[at]}`)
    squares += p * x * x
    sizes += p * (x < 0n ? -x : x)
    conjugate += up(greatest(divide({n: V[j % K][at], d: U * U}, S), {low, high, eps: multiply(l1, {n: p, d: U}), gamma: multiply(l2, {n: p, d: U})}))
  }
  const primal = total([divide({n: losses, d: GRID}, S), multiply({n: l2.n, d: 2n * l2.d}, {n: squares, d: U ** 3n}), multiply(l1, {n: sizes, d: U * U})])
  return {primal, dual: subtract(divide({n: -conjugates, d: GRID}, S), {n: conjugate, d: GRID}), examples}
}

/** The problem in words, and what is taken from the certificate and not from the data. @param {any} known @param {number} n */
async function meant(known, n) {
  const {problem, data} = known
  const {name, ...parameters} = problem.loss
  const words = [`${[name, ...Object.values(parameters)].join(" ")} loss`, `l2 = ${problem.l2}`, `l1 = ${problem.l1}`, `intercept ${problem.intercept ?? "none"}`]
  if (data.labels) words.push(`labels ${data.labels.map((/** @type {any[]} */ each) => each.join(" as ")).join(", ")}`)
  for (const [what, given] of Object.entries({weights: problem.weights, offsets: problem.offset ?? null, "rows divided by": data.scale})) {
    const ends = given === null ? [] : typeof given === "string" ? (await floats(what, given, n)).sort() : [given]
    if (ends.length) words.push(`${what} from ${ends[0]} to ${ends[ends.length - 1]}`)
  }
  for (const [what, ends] of Object.entries(await ofFeatures(known))) if (problem[what]) words.push(`${what} from ${ends.sort()[0]} to ${ends[ends.length - 1]}`)
  return words.join(", ")
}

/**
 * Whether a certificate is true of its data. Each statement is told when it is known; the first false one ends it.
 * @param {Uint8Array} certificate @param {import("./data").Named} data @param {import("./data").Named | null} labels
 * @param {(step: Step) => void} tell @param {(share: number) => void} [progress] @returns {Promise<boolean>}
 */
export async function check(certificate, data, labels, tell, progress = () => {}) {
  /** @param {string} statement @param {string} words @param {boolean} [holds] @param {string[][]} [examples] */
  const told = (statement, words, holds = true, examples = []) => {
    tell({statement, words, holds, examples})
    return holds
  }
  let at = "The certificate is as it was written" // what is looked at
  try {
    const known = readCertificate(certificate)
    told(at, `Its seal is the SHA-256 of all bytes before it: ${known.seal.slice(0, 12)}…`)
    at = "The data are those that it is about"
    const {rows, y} = await prepare(await readData(data, labels, known.data), known.data)
    told(at, `${rows.length} examples, ${known.data.features} features; their numbers have the SHA-256 ${known.data.sha256.slice(0, 12)}…`)
    told("The problem is the one that was meant", `That is for you to say: ${await meant(known, rows.length)}.`)
    at = "α gives a lower bound of P"
    const {primal, dual, examples} = await valuesOf(known, rows, y, progress)
    const free = known.problem.intercept === "free" ? ", their sum is 0, as the intercept is free" : ""
    told(at, `Each α_i is where the conjugate of the ${known.problem.loss.name} loss is finite${free}${Number(known.problem.l2) ? "" : ", and X'α is where the penalty's conjugate is finite"}.`, true, examples)
    const [most, least, gap] = ["primal", "dual", "gap"].map((name) => number(name, known.claim[name]))
    const apart = subtract(primal, dual)
    return told(`P(w) ≤ ${most}`, `The mean loss of w, and its penalty, computed exactly: P(w) = ${decimal(primal, 20)}`, compare(primal, fraction(most)) <= 0)
      && told(`P ≥ ${least} everywhere`, `By Fenchel's inequality, example by example, P is nowhere below D(α) = ${decimal(dual, 20, true)}`, compare(dual, fraction(least)) >= 0)
      && told(`P(w) − min P ≤ ${gap}`, `min P is at least D(α), so P(w) is at most P(w) − D(α) = ${decimal(apart, 3)} above it`, compare(apart, fraction(gap)) <= 0)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return told(at, error instanceof Rejected ? `This is not so: ${why}.` : `Nothing can be read: ${why}.`, false)
  }
}
