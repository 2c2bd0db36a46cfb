/** What the modules of this folder take and give. `index.js` exports all functions that are named here. */

// ------------------------------------------------------------------------------------------------ loading
// load(wasm: BufferSource, kernels: KernelFile): Promise<Lab>          kernels.wasm, kernels.json
// (in a Worker or on the page; every problem lives in a memory of its own, which goes when the problem goes)

/** kernels.json */
export interface KernelFile {
  kernels: Record<string, {args: string[], returns: string[]}>
  losses: Record<string, LossFacts>
  methods: Record<string, MethodFacts>
  samplings: string[]
}

export interface LossFacts {
  struct: Struct // what kernels are given
  gamma: number // phi is 1/gamma-smooth; 0: not smooth
  chosen: boolean // gamma can be chosen
  lipschitz: number | null // null: none
  classification: boolean
}

export interface MethodFacts {
  side: "primal" | "dual"
  draws: boolean // false: chooses by itself, or takes all
  batches: boolean // takes {batch: 32}
  empty: "drawn" | "set" | "skipped" // what becomes of lines without an entry
}

/** A value of a kernel's NamedTuple: its class in `_`, then its fields in their order. */
export type Struct = {_: string} & Record<string, any>

/** The compiled module, and what belongs to it. */
export interface Lab {
  module: WebAssembly.Module
  file: KernelFile
}

// ------------------------------------------------------------------------------------------------ data
// make(lab, name: string, arguments: Record<string, number | string>): Promise<Data>
//     "synthetic" {n, d, density, skew, row_spread, condition, noise, values, task, seed}, "arrow" {n, d, a, b, c, seed},
//     "worst_dual", "worst_primal" {n, d, alpha, seed}, "sun_ye" {n, c, seed}: the generators and the arguments of
//     `cdlab.datasets.make`, with its draws: the same seed gives the same data as Python
// scaled(data: Data, scale: "mean" | "unit" | "none"): Data
// readText(text: string, name: string): Data        LIBSVM or CSV; an Error says what is wrong, in which line
// preset(file: PresetFile): Data                    presets/NAME.json
// toLibsvm(data: Data): string                      what was made, as a file that Python reads
// All of them throw an Error whose message is a sentence for the reader.

/** X and y. Sparse rows (CSR) where `indices` and `indptr` are there, else all values row by row. */
export interface Data {
  n: number
  d: number
  values: Float64Array
  indices?: Uint32Array
  indptr?: Uint32Array
  y: Float64Array
  label?: {column: string, how: "first" | "named" | "last" | "chosen", classes?: number, names?: string[], at?: number} // of a file: what y was there; "": it has no name; classes: labels that are words; names: of all columns, of which the label is at
}

/** An array as base64, little-endian. */
export interface PackedArray {
  dtype: "float64" | "float32" | "uint32" | "uint16" | "uint8" | "int8"
  bytes: string
}

/** presets/NAME.json */
export interface PresetFile {
  name: string
  n: number
  d: number
  values: PackedArray
  indices?: PackedArray
  lengths?: PackedArray // nonzeros of each row
  y: PackedArray
}

// ------------------------------------------------------------------------------------------------ problems
// problem(lab: Lab, data: Data, weights: Weights): Promise<Problem>
// constants(problem: Problem): Constants

export interface Weights {
  loss: string // a key of KernelFile.losses
  gamma?: number // of a smooth_hinge
  l2: number // > 0
  l1?: number
}

/** A problem in the memory of its kernels. */
export interface Problem {
  n: number
  d: number
  nnz: number
  loss: string
  l2: number
  l1: number
  gamma: number // 0: not smooth
  lipschitz: number // Infinity: not Lipschitz
  atZero: {P: number, D: number}
  memory: any // kernels.js; the rest of problem.js's class is for the modules here
}

/** By the names of `cdlab.theory.MEANINGS` where there is one. */
export interface Constants {
  n: number
  d: number
  nnz: number
  l2: number
  l1: number
  gamma: number
  L: number // Lipschitz constant of the loss
  R: number // largest row norm
  R_col: number // largest column norm
  C_P: number
  C_D: number
  P_zero: number
  gap0: number // P(0) - D(0)
  L_f: number // at least ||X||^2/(n gamma): certified; Infinity where gamma = 0
  L_P: number // L_f + l2
  rows: Profile
  columns: Profile
  more: Record<string, number> // the others that bounds read: Rbar, F, D0, P0, w2, a2, g2, mu
}

/** Of each line. */
export interface Profile {
  norms2: Float64Array
  counts: Float64Array
}

// ------------------------------------------------------------------------------------------------ drawing
// probabilities(problem: Problem, method: string, sampling: string, batch?: number): Float64Array
//     of the lines of the method's side; empty where nothing is drawn

// ------------------------------------------------------------------------------------------------ running
// run(method: string, problem: Problem, options: RunOptions): AsyncGenerator<RunRecord, RunEnd>

export interface RunOptions {
  sampling?: string // "uniform"
  seed?: number // 0; whole, below 2^32
  batch?: number // examples at once, of methods that take it
  target?: number // 0; relative best gap at which the run ends
  maxPasses?: number // 1000
  updates?: number // 60: so many first updates are made, and told of, one by one
  records?: "log" | "epochs" // "log": 30 moments a decade of passes from 0.01, as `cdlab.race(records="log")`
  signal?: AbortSignal
}

export interface RunRecord {
  iterations: number // updates, or blocks of them
  passes: number
  P: number
  D: number // -Infinity: none
  bestP: number // smallest so far
  bestD: number // largest so far, at least D(0)
  bestGap: number // (bestP - bestD)/(P(0) - D(0)), at least 0
  updates: RunUpdate[] // of the first ones: those since the last record
  points: () => Points // until the run goes on
}

/** Where a run is: copies. */
export interface Points {
  w: Float64Array
  alpha: Float64Array
  lines: number[] // of the last update; []: not known, or all
}

export interface RunUpdate {
  lines: number[] // updated together, mostly one; []: a step of all coordinates
  entries: number // nonzeros that it visited
  passes: number // done after it
  before: number | null // alpha_k or w_k of the one line, before and after it; null where the method moves no single one
  after: number | null
}

export interface RunEnd {
  status: "target" | "passes" | "stopped" | "diverged"
  reached: number | null // passes to the target, interpolated in the logarithm of the best gap
  passes: number
}

// ------------------------------------------------------------------------------------------------ theory
// bounds(file: BoundFile, problem: Problem, drawn: Drawn, target: number): Evaluated | null
// passesTo(evaluated: Evaluated, level: number): number
// withoutTheorem(file: BoundFile, problem: Problem, drawn: Drawn): string
// refusal(file: BoundFile, weights: {loss, l1}, drawn: Drawn): string
//     of a method with its sampling or batch size: the theorem and its passes, or why there is none, or why it cannot run

/** A formula is a number, the name of a symbol, or [function, ...arguments]. */
export type Formula = number | string | [string, ...any[]]

/** bounds.json */
export interface BoundFile {
  // "rcd uniform": those about the last point and those about averages; of each the theorem, then its fallbacks
  theorems: Record<string, ExportedBound[][][]>
  without: Record<string, string> // "rcd cyclic logistic L2": why no theorem speaks
  refusals: Record<string, string> // "sgd uniform squared L2": why it cannot run
}

/** Passes to eps on the gap, and the same as it is written: (1 + over/under) * logarithm, eps a share of the start. */
export interface ExportedBound {
  method: string
  side: "primal" | "dual" | "full" | null
  bounded: string // "P(w)-P*", "P-D", "D*-D", "|w-w*|^2"
  curve: boolean // it holds along the way
  source: string
  mathml: string
  meanings: [string, string, string][] // MathML, words, name of each symbol
  assumptions: Formula[]
  defaults: [string, Formula][]
  expr: Formula
  setup: Formula
  plus_one: boolean
  over: Formula
  under: Formula
  logarithm: Formula
  W: Formula | null
  K: Formula | null // by the lines' s_i and p_i, where the theorem defines it so
}

export interface Evaluated {
  bound: ExportedBound
  values: Record<string, number> // of its symbols here
  line: number | null // that has the largest s/p
  last: boolean // about the last point of a run, with a curve
  passes: number
}
