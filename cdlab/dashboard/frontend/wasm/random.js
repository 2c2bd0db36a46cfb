/* numpy's default_rng(seed): SeedSequence here, once a run; all draws are kernels. */

/** @typedef {import("./kernels.js").Kernels} Kernels @typedef {import("./kernels.js").NDArray} NDArray */

const MASK = (1n << 128n) - 1n
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n // of PCG64
const POOL_WORDS = 4
const STATE_WORDS = 8

/** SeedSequence(seed).generate_state(8), seed < 2^32. @param {number} seed */
function seedWords(seed) {
  let hash = 0x43b0d7e5
  const hashed = (/** @type {number} */ value, /** @type {number} */ multiplier) => {
    value ^= hash
    hash = Math.imul(hash, multiplier)
    value = Math.imul(value, hash)
    return (value ^ (value >>> 16)) >>> 0
  }
  const mixed = (/** @type {number} */ x, /** @type {number} */ y) => {
    const r = (Math.imul(x, 0xca01f9dd) - Math.imul(y, 0x4973f715)) >>> 0
    return (r ^ (r >>> 16)) >>> 0
  }
  const pool = [seed >>> 0, 0, 0, 0].map((word) => hashed(word, 0x931e8875))
  for (let from = 0; from < POOL_WORDS; from++) for (let to = 0; to < POOL_WORDS; to++) if (from !== to) pool[to] = mixed(pool[to], hashed(pool[from], 0x931e8875))
  hash = 0x8b51f9dd
  return Array.from({length: STATE_WORDS}, (_, k) => hashed(pool[k % POOL_WORDS], 0x58f38ded))
}

/** A generator of random numbers, numpy's `default_rng(seed)`. */
export class Generator {
  /** @param {Kernels} kernels @param {number} seed */
  constructor(kernels, seed) {
    if (!(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)) throw new Error(`the seed must be a whole number from 0 to ${2 ** 32 - 1}, not ${seed}`)
    const words = seedWords(seed).map(BigInt), pair = (/** @type {number} */ k) => ((words[k + 1] << 32n) | words[k]) << 64n | ((words[k + 3] << 32n) | words[k + 2])
    const increment = ((pair(4) << 1n) | 1n) & MASK, state = ((increment + pair(0)) * MULTIPLIER + increment) & MASK
    const pieces = (/** @type {bigint} */ x) => [0n, 32n, 64n, 96n].map((by) => (x >> by) & 0xffffffffn)
    this.kernels = kernels
    this.state = kernels.array("uint64", [10], [...pieces(state), ...pieces(increment), 0n, 0n])
  }

  /** random(size). @param {NDArray} out */
  doubles(out) {
    this.kernels.call("random_doubles", this.state, out)
    return out
  }

  /** standard_normal(size). @param {number} size @returns {Float64Array} */
  normals(size) {
    return this.kernels.scratch(() => {
      const out = this.kernels.array("float64", [size])
      this.kernels.call("random_normals", this.state, out)
      return Float64Array.from(out.view)
    })
  }

  /** integers(m, size). @param {number} m @param {NDArray} out */
  integers(m, out) {
    this.kernels.call("random_integers", this.state, m, out)
    return out
  }

  /** integers(m, size=size) as plain numbers. @param {number} m @param {number} size @returns {Float64Array} */
  whole(m, size) {
    return this.kernels.scratch(() => Float64Array.from(this.integers(m, this.kernels.array("uint64", [size])).view, Number))
  }

  /** poisson(means). @param {ArrayLike<number>} means @returns {Float64Array} */
  poissons(means) {
    return this.kernels.scratch(() => {
      const given = this.kernels.floats(means), out = this.kernels.array("uint64", [given.size])
      this.kernels.call("random_poissons", this.state, given, out)
      return Float64Array.from(out.view, Number)
    })
  }

  /** permutation(values). @param {ArrayLike<number>} values @returns {Float64Array} */
  permutation(values) {
    return this.kernels.scratch(() => {
      const x = this.kernels.floats(values)
      this.kernels.call("shuffle", this.state, x)
      return Float64Array.from(x.view)
    })
  }

  /** choice(m, size, replace=False, shuffle=False). @param {number} m @param {NDArray} out */
  choose(m, out) {
    this.kernels.call("choose", this.state, m, out)
    return out
  }
}
