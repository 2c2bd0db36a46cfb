/* What the stage draws; `contract.py` says the same of the side that makes it, with the meaning of each entry. */

/** @typedef {{light: string, dark: string, dash: number[], marker: string}} Look */

/** @typedef {{rows: number, columns: number, nonzeros: number, down: number, across: number, levels: string}} Thumbnail */

/** @typedef {{sampling: string, cells: number[], least: number, most: number, never: number}} Draws */

/** @typedef {{thumbnail: Thumbnail, primal: Draws | null, dual: Draws | null}} Matrix */

/**
 * @typedef {{coordinates: number[][], nonzeros: number[], cells: (number[] | null)[], passes: number[],
 *   primal: (number | null)[], dual: (number | null)[], error: (number | null)[], gap: (number | null)[]}} Steps
 */

/** @typedef {{p: (number | null)[], moved: ((number | null)[] | null)[], weights: number[]}} Moves */

/** @typedef {{passes: number[], error: (number | null)[]}} Promised */

/**
 * @typedef {{label: string, side: string, look: Look, steps: Steps, moves: Moves, passes: number[], primal: (number | null)[],
 *   dual: (number | null)[], error: (number | null)[], gap: (number | null)[], reached: number | null, promise: Promised | null, note: string, earlier: boolean,
 *   ended: string}} Lane
 */

/** @typedef {{lanes: Lane[], across: string, up: string, target: number, problem: string}} Race */

/** @typedef {{C: number, parts: number[], rest: number, lines: number, T: number | null}} Side */

/** @typedef {{value: number | null, winner: string | null, least: boolean, instead: string, words: string}} Ratio */

/**
 * @typedef {{primal: Side, dual: Side, looks: Record<string, Look>, predicted: Ratio, measured: Ratio | null}} FaceOff
 */

/**
 * @typedef {{label: string, look: Look, formula: string, value: number | null, words: string,
 *   meanings: [string, string][]}} Theorem
 */

/** @typedef {{target: string, theorems: Theorem[], note: string}} Bound */

/**
 * @typedef {{label: string, side: string, look: Look, start: [number, number | null], steps: Steps,
 *   w: [number, number][]}} Path
 */

/** @typedef {{height: number, lines: [number, number][][]}} Level */

/**
 * @typedef {{title: string, frame: [number, number, number, number], levels: Level[], optimum: [number, number],
 *   best: number, paths: Path[]}} Plane
 */

/** @typedef {{matrix?: Matrix, race?: Race | null, stale?: string, waiting?: boolean, veiled?: boolean, faceoff?: FaceOff, bound?: Bound, plane?: Plane | null}} Stage */

export const PARTS = ["matrix", "race", "stale", "waiting", "veiled", "faceoff", "bound", "plane"]
