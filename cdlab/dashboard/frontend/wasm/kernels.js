/* cdlab's kernels: one memory, arrays in it, and calls by the name of a kernel. No mathematics. */

/** @typedef {import("./types").Struct} Struct @typedef {import("./types").KernelFile} KernelFile */
/** @typedef {"float64" | "uint64" | "int64" | "uint32" | "uint8"} Dtype */

/** @type {Record<string, any>} */
const VIEWS = {float64: Float64Array, uint64: BigUint64Array, int64: BigInt64Array, uint32: Uint32Array, uint8: Uint8Array}
const PAGE_BYTES = 65536
const SPARE_PAGES = 16
const RESULTS = 8 // numbers that a kernel can return

/** An array in the memory of the kernels. */
export class NDArray {
  /** @param {WebAssembly.Memory} memory @param {Dtype} dtype @param {number[]} shape @param {number} pointer */
  constructor(memory, dtype, shape, pointer) {
    this.memory = memory
    this.dtype = dtype
    this.shape = shape
    this.pointer = pointer
    this.size = shape.reduce((a, b) => a * b, 1)
    /** @type {any} */
    this.kept = null
  }

  /** The entries; made anew when the memory has grown, which leaves older views behind: never keep one. */
  get view() {
    if (this.kept?.buffer !== this.memory.buffer) this.kept = new VIEWS[this.dtype](this.memory.buffer, this.pointer, this.size)
    return this.kept
  }

  /** Of uint64, the lower halves stand at even places: whole numbers below 2^32 need no BigInt. @returns {Uint32Array} */
  get words() {
    return new Uint32Array(this.memory.buffer, this.pointer, 2 * this.size)
  }

  /** Some of the entries of a vector, without a copy. @param {number} from @param {number} to */
  slice(from, to) {
    const end = Math.min(to, this.size)
    return new NDArray(this.memory, this.dtype, [end - from], this.pointer + from * VIEWS[this.dtype].BYTES_PER_ELEMENT)
  }
}

/** The compiled module. @param {BufferSource} wasm @param {KernelFile} file @returns {Promise<import("./types").Lab>} */
export async function load(wasm, file) {
  return {module: await WebAssembly.compile(wasm), file}
}

/** The kernels with a memory of their own. */
export class Kernels {
  /** @param {import("./types").Lab} lab */
  static async open({module, file}) {
    const {exp, log, log1p, expm1} = Math
    const {exports} = await WebAssembly.instantiate(module, {env: {exp, log, log1p, expm1}})
    return new Kernels(exports, file)
  }

  /** @param {any} exports @param {KernelFile} file */
  constructor(exports, file) {
    this.exports = exports
    this.file = file
    /** @type {WebAssembly.Memory} */
    this.memory = exports.memory
    this.top = exports.__heap_base.value
    /** @type {Map<string, any>} */
    this.known = new Map()
    this.result = this.array("float64", [2 * RESULTS]).pointer // what a kernel returns, then where it puts an error
  }

  /** Zeros, or the values given. @param {Dtype} dtype @param {number[]} shape @param {ArrayLike<any>} [values] */
  array(dtype, shape, values) {
    const bytes = shape.reduce((a, b) => a * b, 1) * VIEWS[dtype].BYTES_PER_ELEMENT, pointer = (this.top + 15) & ~15
    this.top = pointer + bytes
    const missing = Math.ceil((this.top - this.memory.buffer.byteLength) / PAGE_BYTES)
    if (missing > 0) this.memory.grow(missing + SPARE_PAGES)
    const made = new NDArray(this.memory, dtype, shape, pointer)
    if (values) made.view.set(values)
    else new Uint8Array(this.memory.buffer, pointer, bytes).fill(0) // may have been used before
    return made
  }

  /** @param {ArrayLike<number>} values */
  floats(values) {
    return this.array("float64", [values.length], values)
  }

  /** @param {number} size @param {(k: number) => number} f */
  filled(size, f) {
    const made = this.array("float64", [size]), {view} = made
    for (let k = 0; k < size; k++) view[k] = f(k)
    return made
  }

  /** @param {NDArray} array */
  copy(array) {
    const made = this.array(array.dtype, array.shape)
    made.view.set(array.view) // only now: memory that grows leaves old views behind
    return made
  }

  /** What `f` returns; the arrays that it made are gone. @template T @param {() => T} f @returns {T} */
  scratch(f) {
    const before = this.top
    try {
      return f()
    } finally {
      this.top = before
    }
  }

  /** The kernel for values of these classes; what it returns: nothing, a number, or several. @param {import("./names").KernelName} name @param {any[]} values @returns {any} */
  call(name, ...values) {
    const key = `${name}(${values.map(classes).filter(Boolean).join(",")})`, {run, args, returns} = this.kernel(key)
    const flat = /** @type {any[]} */ ([this.result, this.result + 8 * RESULTS])
    for (const {position, path, kind, axes} of args) {
      let value = values[position]
      for (const field of path) value = value[field]
      if (axes === undefined) flat.push(kind === "float64" ? value : BigInt(value))
      else {
        const {shape} = value, bytes = VIEWS[kind].BYTES_PER_ELEMENT
        if (value.dtype !== kind || shape.length !== axes) throw new TypeError(`${key}: ${path.join(".")} must be ${kind}[${axes}]`)
        flat.push(0, 0, BigInt(value.size), BigInt(bytes), value.pointer, ...shape.map(BigInt))
        for (let axis = 0; axis < axes; axis++) flat.push(BigInt(shape.slice(axis + 1).reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, bytes)))
      }
    }
    if (run(...flat) !== 0) throw new Error(`${key} failed`)
    const at = new DataView(this.memory.buffer, this.result)
    const found = returns.map((/** @type {string} */ kind, /** @type {number} */ k) => (kind === "float64" ? at.getFloat64(8 * k, true) : Number(at.getBigInt64(8 * k, true))))
    return found.length > 1 ? found : found[0]
  }

  /** @param {string} key */
  kernel(key) {
    let found = this.known.get(key)
    if (!found) {
      const signature = this.file.kernels[key]
      if (!signature) throw new Error(`there is no kernel ${key}`)
      const names = [...new Set(signature.args.map((each) => each.split(/[. ]/)[0]))]
      found = {run: this.exports[key], args: signature.args.map((text) => argument(text, names)), returns: signature.returns}
      this.known.set(key, found)
    }
    return found
  }
}

/** "S.alpha float64[1]": where to find it and how to pass it. @param {string} text @param {string[]} names */
function argument(text, names) {
  const [whole, kind] = text.split(" "), [first, ...path] = whole.split("."), [, plain, axes] = /** @type {string[]} */ (/^(\w+)(?:\[(\d)\])?$/.exec(kind))
  return {position: names.indexOf(first), path, kind: plain, axes: axes === undefined ? undefined : Number(axes)}
}

/** "View(Sparse,Logistic,L2)": the classes of a value, as in the names of the kernels. @param {any} value @returns {string} */
function classes(value) {
  if (!value?._) return ""
  const inner = Object.values(value).map(classes).filter(Boolean).join(",")
  return inner ? `${value._}(${inner})` : value._
}
