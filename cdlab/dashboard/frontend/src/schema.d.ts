// Written by python -m cdlab.dashboard.engine.typescript

/** A choice that is a number. */
export interface Slider {
  name: string
  label: string
  words: string
  least: number
  most: number
  scale: "linear" | "log"
  /** only integers */
  whole: boolean
  /** "%": the value is a share */
  unit: string
}


/** A kind of data that is made on the spot. */
export interface Card {
  name: string
  title: string
  words: string
  /** the choices that make it */
  sets: Record<string, any>
  /** names; the first four are shown */
  sliders: Array<string>
  /** rows of levels between 0 and 1 */
  thumbnail: Array<Array<number>>
}


/** A real data set. */
export interface Preset {
  name: string
  words: string
  n: number
  d: number
  nonzeros: number
  /** a sentence: why this engine cannot take it; empty if it can */
  why_not: string
}


/** A sampling or a loss. */
export interface Named {
  name: string
  words: string
  group: string
  /** why this engine does not have it */
  why_not: string
}


/** A method. */
export interface MethodEntry {
  name: string
  side: "primal" | "dual" | "full"
  /** "one weight, down its column": what a step is */
  words: string
  sentence: string
  /** heading in the list */
  group: string
  /** other words by which it is found: "momentum" */
  search: Array<string>
  /** a step as MathML */
  update: string
  /** what its letters are */
  update_words: string
  draws: boolean
  batches: boolean
  why_not: string
}


/** A race of a story. */
export interface StoryStep {
  question: string
  /** in the first step: beside the defaults; later: beside those of the step before */
  choices: Record<string, any>
  /** after the race, with places for numbers of outcomes, {a.sdca}, {b.lead}: a is the first step's race */
  sentence: string
  /** the words of the change that leads to this step */
  button: string
}


/** A story: a question, a race and what it shows, a change, another race. */
export interface Story {
  name: string
  title: string
  /** of the course, which says more about it: its file's name in the folder notebooks, without ".ipynb" */
  notebook: string
  steps: Array<StoryStep>
  axis: "passes" | "iterations"
}


/** The choices that there are, and what this engine offers of them. */
export interface Catalog {
  engine: "python" | "wasm"
  version: string
  /** of every choice */
  defaults: Record<string, any>
  cards: Array<Card>
  sliders: Array<Slider>
  presets: Array<Preset>
  samplings: Array<Named>
  losses: Array<Named>
  methods: Array<MethodEntry>
  stories: Array<Story>
  /** "entries": largest number of stored values, "upload": megabytes */
  limits: Record<string, number>
  /** names that `facts` answers; empty: none */
  drawers: Array<string>
  /** what symbols and words mean: "pass", "κ", "L", shown on focus and touch */
  terms: Record<string, string>
  /** of numbers: the least and the largest */
  ranges: Record<string, Array<number | null>>
  /** that a choice which is a word can be */
  names: Record<string, Array<string>>
}


/** The columns or rows of X, in as many bins as the matrix is drawn with: line k of m lies in bin k * bins // m. */
export interface Lines {
  /** nonzeros: of a line, or the mean of a bin */
  entries: Array<number>
  /** ||line||^2, or the largest of a bin */
  norms2: Array<number>
  /** with which a step draws it, times the number of lines; a bin's mean. []: none drawn */
  probabilities: Array<number>
  /** the line with the largest norm */
  largest: number
  /** its nonzeros */
  largest_entries: number
}


/** X as a picture. */
export interface Matrix {
  /** n */
  rows: number
  /** d */
  columns: number
  nonzeros: number
  /** bins */
  down: number
  across: number
  /** base64 of down x across bytes, row by row: 255 sqrt(largest |x| of the cell/largest |x| of X) */
  levels: string
  primal: Lines
  dual: Lines
}


/** A bound on the relative best gap along a run. */
export interface BoundCurve {
  passes: Array<number>
  gap: Array<number>
}


/** A promise of theory about one entry of the race. */
export interface Theorem {
  /** of the entry, as in the race */
  label: string
  /** passes to the target; empty: no theorem */
  mathml: string
  /** "(1 + 995/4) × 19.4"; the same formula with numbers put in, in plain text */
  numbers: string
  /** passes to the target */
  value: number | null
  /** the column or row that sets it */
  line: number | null
  /** "the heaviest column" */
  line_words: string
  /** the statement in a sentence, or why no theorem speaks */
  words: string
  curve: BoundCurve | null
  source: string
  meanings: Array<[string, string]>
}


/** C_P or C_D: entries x norm^2, summed over the lines. */
export interface Sum {
  value: number
  /** of the largest lines, falling */
  parts: Array<number>
  rest: number
  lines: number
  /** "3 words: 66 %" */
  words: string
}


/** A change of choices that makes something possible. */
export interface Repair {
  words: string
  choices: Record<string, any>
}


/** A refusal of something chosen: why it cannot be, in a sentence, and what would do. */
export interface Refusal {
  /** "data", "file" (the reader's, not open here), "target", or a method, sampling or loss */
  what: string
  why: string
  repairs: Array<Repair>
}


/** Knowledge before a race. */
export interface Prediction {
  /** of the choices that it is about */
  digest: string
  /** "1,000 examples × 200 words · logistic loss" */
  problem: string
  /** P(0) - D(0), the gap of the start */
  start: number | null
  primal_at_zero: number
  dual_at_zero: number | null
  /** κ/n = 1/(γ λ n) max ||x_i||²; None: no smoothness */
  condition: number | null
  matrix: Matrix | null
  /** in the order of the race's entries */
  theorems: Array<Theorem>
  primal: Sum | null
  dual: Sum | null
  /** value of the first primal entry's theorem / the first dual one's: above 1 favours the dual */
  ratio: number | null
  /** or why there is none: "No theorem here on this order" */
  ratio_words: string
  refusals: Array<Refusal>
  /** seconds that the race will take, if it will take over one */
  estimate: number | null
  /** what was changed or left out of what was asked */
  notes: Array<string>
}


/** An update, one of the first single ones of a run. */
export interface Update {
  /** updated together, mostly one; []: a full gradient */
  lines: Array<number>
  /** nonzeros read */
  entries: number
  /** done after it */
  passes: number
  /** value of the one coordinate */
  before: number | null
  after: number | null
}


/** The iterate at a moment, in the bins of the matrix: the entry of largest modulus of a bin. */
export interface Snapshot {
  passes: number
  w: Array<number>
  alpha: Array<number>
  /** the last update */
  lines: Array<number>
  entries: number
}


/** A run of one entry with one draw, up to now. */
export interface RunData {
  label: string
  side: "primal" | "dual" | "full"
  /** the seed */
  draw: number
  passes: Array<number>
  iterations: Array<number>
  seconds: Array<number>
  /** smallest P so far */
  primal: Array<number | null>
  /** largest D so far, at least D(0) */
  dual: Array<number | null>
  /** the relative gap of the best points so far */
  gap: Array<number | null>
  /** passes to the target, interpolated in the logarithm of the gap */
  reached: number | null
  /** empty while it runs; then why it ended, in a sentence */
  status: string
  /** of the first draw alone */
  updates: Array<Update>
  snapshots: Array<Snapshot>
  /** processed */
  examples: Array<number>
  /** []: the data have no test part */
  test_error: Array<number | null>
}


/** The result of one entry over all draws. */
export interface Result {
  label: string
  /** median of the passes to the target */
  reached: number | null
  /** smallest, largest */
  low: number | null
  high: number | null
  /** the smallest of the ends */
  last_gap: number
  last_passes: number
  /** relative gaps, falling */
  levels: Array<number>
  /** passes to each level */
  median: Array<number | null>
  least: Array<number | null>
  most: Array<number | null>
  /** median of the updates (rounds of a batch) to the target */
  iterations: number | null
  /** of w that are not 0 at the end of the first draw */
  weights: number | null
}


/** The winner, and by how much. */
export interface Outcome {
  results: Array<Result>
  /** a label; None: about even or nobody reached the target */
  winner: string | null
  /** whom the lead is over: the best entry of the other side, else the next */
  loser: string | null
  lead: number | null
  /** of the ratios of single draws */
  lead_low: number | null
  lead_high: number | null
  /** the loser did not reach the target: the lead is a lower bound */
  at_least: boolean
  /** median passes of the first primal entry/those of the first dual one */
  primal_over_dual: number | null
}


/** A message of the stream that answers `race`; the last one has an outcome or an error. */
export interface RaceEvent {
  digest: string
  /** those that have grown, from the beginning */
  runs: Array<RunData>
  /** 0 to 1 */
  progress: number
  /** "Racing: 40 of about 300 passes" */
  words: string
  outcome: Outcome | null
  error: string
}


/** A number of a sentence, and whose it is; see `explanations.Figure`. */
export interface Figure {
  quantity: string
  method: string
  draws: string
  data: string
  source: string
  value: number
  low: number
  /** None: a run ended above the target */
  high: number | null
  runs: number
  lines: string
  reached: boolean
}


/** Why a race came out so, in a sentence with its figures. */
export interface Reason {
  /** see `explanations.Reason`; also "none" */
  rule: string
  side: "primal" | "dual" | "full" | null
  figures: Array<Figure>
  sentence: string
}


/** An explanation of why a race came out so, and why not as predicted. */
export interface Explanation {
  digest: string
  why: Reason
  /** None: off by less than 1.5, or nothing was predicted */
  why_not: Reason | null
}


/** Advice on who is likely best. */
export interface Advice {
  digest: string
  /** choices that add it to the race */
  entry: Record<string, any> | null
  label: string
  passes: number | null
  low: number | null
  high: number | null
  /** from what it was worked out */
  words: string
}


/** Facts that a drawer shows. */
export interface Facts {
  digest: string
  drawer: string
  words: string
  tables: Array<Record<string, any>>
}


/** Exact rates of entries in an order, of which no theorem speaks; of one that has none known, nothing. */
export interface Rates {
  digest: string
  /** by label */
  words: Record<string, string>
  /** per factor e of the mean error */
  passes: Record<string, number>
}


/** A question of the page. A newer one of its kind cancels it. */
export interface Question {
  number: number
  kind: "catalog" | "predict" | "race" | "explain" | "advise" | "rates" | "facts" | "stop"
  choices: Record<string, any> | null
  /** of race; one where more are chosen: a draft, of whose snapshots Python sends the last */
  draws: number
  /** of facts */
  drawer: string
}


/** An answer, or one piece of a stream of them. */
export interface Answer {
  number: number
  kind: string
  done: boolean
  value: Catalog | Prediction | RaceEvent | Explanation | Advice | Rates | Facts | null
  /** a sentence for the reader */
  error: string
}
