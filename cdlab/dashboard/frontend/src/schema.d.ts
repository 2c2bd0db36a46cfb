// Written by python -m cdlab.dashboard.frontend.schema_types

/** A choice that is a number. */
export interface Slider {
  name: string
  label: string
  words: string
  least: number
  most: number
  scale: "linear" | "log"
  whole: boolean
  unit: string
}

/** A kind of data that is made on the spot. */
export interface Card {
  name: string
  title: string
  words: string
  sets: Record<string, any>
  sliders: Array<string>
  thumbnail: Array<Array<number>>
}

/** A real data set. */
export interface Preset {
  name: string
  words: string
  n: number
  d: number
  nonzeros: number
  why_not: string
}

/** A sampling or a loss. */
export interface Named {
  name: string
  words: string
  group: string
  why_not: string
}

/** A method. */
export interface MethodEntry {
  name: string
  side: "primal" | "dual" | "full"
  words: string
  sentence: string
  group: string
  search: Array<string>
  draws: boolean
  batches: boolean
  why_not: string
}

/** One race of a story. */
export interface StoryStep {
  question: string
  choices: Record<string, any>
  button: string
}

/** A story: a question, a race, a change, another race, and what they show. */
export interface Story {
  name: string
  title: string
  steps: Array<StoryStep>
  sentence: string
  axis: "passes" | "iterations"
}

/** All that can be chosen, and what this engine offers of it. */
export interface Catalog {
  engine: "python" | "wasm"
  version: string
  defaults: Record<string, any>
  cards: Array<Card>
  sliders: Array<Slider>
  presets: Array<Preset>
  samplings: Array<Named>
  losses: Array<Named>
  methods: Array<MethodEntry>
  stories: Array<Story>
  limits: Record<string, number>
  drawers: Array<string>
  terms: Record<string, string>
}

/** The columns or rows of X, in as many bins as the matrix is drawn with: line k of m lies in bin k * bins // m. */
export interface Lines {
  entries: Array<number>
  norms2: Array<number>
  probabilities: Array<number>
  largest: number
}

/** X as a picture. */
export interface Matrix {
  rows: number
  columns: number
  nonzeros: number
  down: number
  across: number
  levels: string
  primal: Lines
  dual: Lines
}

/** A bound on the relative best gap along a run. */
export interface Curve {
  passes: Array<number>
  gap: Array<number>
}

/** What theory promises about one entry of the race. */
export interface Theorem {
  label: string
  mathml: string
  numbers: string
  value: number | null
  line: number | null
  line_words: string
  words: string
  curve: Curve | null
  source: string
  meanings: Array<[string, string]>
}

/** C_P or C_D: entries x norm^2, summed over the lines. */
export interface Sum {
  value: number
  parts: Array<number>
  rest: number
  lines: number
  words: string
}

/** A change of choices that makes something possible. */
export interface Repair {
  words: string
  choices: Record<string, any>
}

/** Why something chosen cannot be, in a sentence, and what would do. */
export interface Refusal {
  what: string
  why: string
  repairs: Array<Repair>
}

/** What is known before a race. */
export interface Prediction {
  digest: string
  problem: string
  start: number | null
  primal_at_zero: number
  dual_at_zero: number | null
  condition: number | null
  matrix: Matrix | null
  theorems: Array<Theorem>
  primal: Sum | null
  dual: Sum | null
  ratio: number | null
  ratio_words: string
  refusals: Array<Refusal>
  estimate: number | null
  notes: Array<string>
}

/** One of the first single updates of a run. */
export interface Update {
  lines: Array<number>
  entries: number
  passes: number
  before: number | null
  after: number | null
}

/** The iterate at a moment, in the bins of the matrix: the entry of largest modulus of a bin. */
export interface Snapshot {
  passes: number
  w: Array<number>
  alpha: Array<number>
  lines: Array<number>
  entries: number
}

/** One entry with one draw, up to now. */
export interface Run {
  label: string
  side: "primal" | "dual" | "full"
  draw: number
  passes: Array<number>
  iterations: Array<number>
  seconds: Array<number>
  primal: Array<number | null>
  dual: Array<number | null>
  gap: Array<number | null>
  reached: number | null
  status: string
  updates: Array<Update>
  snapshots: Array<Snapshot>
}

/** One entry over all draws. */
export interface Result {
  label: string
  reached: number | null
  low: number | null
  high: number | null
  last_gap: number
  last_passes: number
  levels: Array<number>
  median: Array<number | null>
  least: Array<number | null>
  most: Array<number | null>
}

/** Who was first. */
export interface Outcome {
  results: Array<Result>
  winner: string | null
  loser: string | null
  lead: number | null
  lead_low: number | null
  lead_high: number | null
  at_least: boolean
  primal_over_dual: number | null
}

/** One message of the stream that answers `race`; the last one has an outcome or an error. */
export interface RaceEvent {
  digest: string
  runs: Array<Run>
  progress: number
  words: string
  outcome: Outcome | null
  error: string
}

/** A rule that holds, as the key of its sentence and the numbers put into it. */
export interface Reason {
  rule: string
  side: "primal" | "dual" | "full" | null
  numbers: Record<string, number | string>
  sentence: string
}

/** Why a race came out so, and why not as predicted. */
export interface Explanation {
  digest: string
  why: Reason
  why_not: Reason | null
}

/** Who is likely best. */
export interface Advice {
  digest: string
  entry: Record<string, any> | null
  label: string
  passes: number | null
  low: number | null
  high: number | null
  words: string
}

/** What a drawer shows. */
export interface Facts {
  digest: string
  drawer: string
  words: string
  tables: Array<Record<string, any>>
}

/** A question of the page. A newer one of its kind cancels it. */
export interface Question {
  number: number
  kind: "catalog" | "predict" | "race" | "explain" | "advise" | "facts" | "stop"
  choices: Record<string, any> | null
  draws: number
  drawer: string
}

/** An answer, or one piece of a stream of them. */
export interface Answer {
  number: number
  kind: string
  done: boolean
  value: Catalog | Prediction | RaceEvent | Explanation | Advice | Facts | null
  error: string
}
