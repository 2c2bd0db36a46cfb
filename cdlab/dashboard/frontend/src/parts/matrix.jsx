// What one step reads: the matrix, w above its columns, |α| beside its rows, the lines of the present steps lit.
import {useEffect, useMemo, useRef, useState} from "preact/hooks"
import {PHONE, usePage, useMedia, useSize, colour, dark} from "./page_context.js"
import {bytes, clamp, lastAt} from "../scales.js"
import {stepsAt} from "../curves.js"
import {count, number} from "../words.js"

/** @typedef {import("../schema").Matrix} Matrix */
/** @typedef {{line: number, entries: number, words: string, next?: boolean}} Lit  next: the step is not yet made */

const EDGE = 36 // pixels of the bars of w and α

export function MatrixPart() {
  const page = usePage()
  const {prediction, predicted, veiled, fresh, replay} = page
  const known = predicted.value ?? prediction.value
  const matrix = known?.matrix
  const lit = litLines(page, known)
  const [spot, setSpot] = useState(/** @type {{row: number, column: number, side: "primal" | "dual"} | null} */ (null))
  if (!matrix) return <section class="matrix" aria-label="Matrix"><h2>What one step reads</h2></section>
  const head = fresh.value && !veiled.value ? replay.head.value : null
  const words = spot ? spotWords(matrix, spot) : head === null ? `Lit: ${[lit.primal, lit.dual].flatMap((each) => (each?.words ? [each.words] : [])).join(", ") || "nothing"}`
    : page.series.value.map((each, k) => `${k ? "step" : "Step"} ${count(stepsAt(each, head))} of ${each.label}`).join(", ")
  return (
    <section class="matrix" aria-label="Matrix">
      <h2>What one step reads</h2>
      <p class="s" aria-live="polite">{words}</p>
      <Picture matrix={matrix} lit={lit} spot={spot} onSpot={setSpot} />
      <div class="captions">{[lit.primal, lit.dual].map((each, k) => each && <Caption key={k} lit={each} side={k ? "dual" : "primal"} matrix={matrix} />)}</div>
    </section>
  )
}

/** The lines that the steps at the head read; at rest those that set the bounds. @param {import("../page").Page} page @param {any} known */
function litLines({fresh, veiled, series, replay, sideOf}, known) {
  /** @type {{primal: (Lit & {label: string}) | null, dual: (Lit & {label: string}) | null}} */
  const lit = {primal: null, dual: null}
  const head = fresh.value && !veiled.value ? replay.head.value : null
  const matrix = /** @type {Matrix | null} */ (known?.matrix ?? null)
  for (const side of /** @type {("primal" | "dual")[]} */ (["primal", "dual"])) {
    const each = head === null ? undefined : series.value.find((one) => one.side === side)
    const one = replay.update.value
    if (each && head !== null) {
      const passes = each.passesAt(head)
      const {updates, snapshots} = each.run
      const k = lastAt(updates.map((update) => update.passes), passes)
      const past = updates.length > 0 && passes < updates[updates.length - 1].passes
      const now = one?.series.label === each.label ? one.update : past ? updates[k] : snapshots[lastAt(snapshots.map((snapshot) => snapshot.passes), passes)]
      if (now?.lines.length) lit[side] = {label: each.label, line: now.lines[0], entries: now.entries, words: "", next: now.passes > passes * 1.000001}
      continue
    }
    const theorem = known?.theorems.find((/** @type {any} */ one) => one.line !== null && sideOf(one.label) === side)
    const even = matrix && evenLine(matrix, side)
    if (even && (theorem || known?.theorems.some((/** @type {any} */ one) => sideOf(one.label) === side))) {
      lit[side] = {label: (theorem ?? known.theorems.find((/** @type {any} */ one) => sideOf(one.label) === side)).label, ...even}
      continue
    }
    if (theorem && matrix) lit[side] = {label: theorem.label, line: theorem.line, entries: entriesOf(matrix, side, theorem.line), words: theorem.line_words}
    const own = known?.theorems.find((/** @type {any} */ one) => sideOf(one.label) === side)
    if (theorem || !matrix || !own) continue
    const line = matrix[side].largest
    lit[side] = {label: own.label, line, entries: entriesOf(matrix, side, line), words: side === "primal" ? "the heaviest column" : "the heaviest row"}
  }
  return lit
}

/** Where all lines are as heavy as each other, one with as many entries as most. @param {Matrix} matrix @param {"primal" | "dual"} side @returns {Lit | null} */
function evenLine(matrix, side) {
  const {norms2, entries} = matrix[side]
  if (Math.max(...norms2) > 1.0001 * Math.min(...norms2)) return null
  const mean = entries.reduce((sum, each) => sum + each, 0) / entries.length
  const bin = entries.reduce((best, each, k) => (Math.abs(each - mean) < Math.abs(entries[best] - mean) ? k : best), 0)
  const [lines, what] = side === "primal" ? [matrix.columns, "column"] : [matrix.rows, "row"]
  return {line: Math.ceil((bin * lines) / entries.length), entries: Math.round(entries[bin]), words: `a ${what}, all alike`}
}

/** @param {Matrix} matrix @param {"primal" | "dual"} side @param {number} line */
const binOf = (matrix, side, line) => side === "primal" ? Math.floor((line * matrix.across) / matrix.columns) : Math.floor((line * matrix.down) / matrix.rows)

/** Of a line that shares its bin with others their mean, but for the heaviest one. @param {Matrix} matrix @param {"primal" | "dual"} side @param {number} line */
const entriesOf = (matrix, side, line) => line === matrix[side].largest ? matrix[side].largest_entries : Math.round(matrix[side].entries[binOf(matrix, side, line)])

/** @param {Matrix} matrix @param {{row: number, column: number, side: "primal" | "dual"}} spot */
function spotWords(matrix, {row, column, side}) {
  const line = side === "primal" ? column : row
  const bin = binOf(matrix, side, line)
  const {norms2, probabilities} = matrix[side]
  const mean = line !== matrix[side].largest && norms2.length < (side === "primal" ? matrix.columns : matrix.rows)
  const drawn = probabilities.length ? `, drawn ${number(probabilities[bin], 2)}× as often as on average` : ""
  return `${side === "primal" ? "Column" : "Row"} ${count(line + 1)}: ${mean ? "about " : ""}${counted(entriesOf(matrix, side, line))}, norm² ${number(norms2[bin])}${drawn}`
}

/** @param {number} entries */
const counted = (entries) => `${count(entries)} ${entries === 1 ? "entry" : "entries"}`

/** @param {{lit: Lit & {label: string}, side: "primal" | "dual", matrix: Matrix}} props */
function Caption({lit, side, matrix}) {
  const most = Math.max(matrix.rows, matrix.columns)
  const [name, what] = side === "primal" ? ["w", "column"] : ["α", "row"]
  return (
    <div>
      <p><b class={colour(side)}>{lit.label}</b> {lit.next ? "next " : ""}moves {name}<sub>{lit.line + 1}</sub>: reads {what} {count(lit.line + 1)}</p>
      <p class="s"><span class={`bar ${colour(side)}`} style={{width: `${Math.max(2, (40 * lit.entries) / most)}%`}} />{counted(lit.entries)}</p>
    </div>
  )
}

/**
 * @param {{matrix: Matrix, lit: {primal: Lit | null, dual: Lit | null}, spot: any, onSpot: (spot: any) => void}} props
 */
function Picture({matrix, lit, spot, onSpot}) {
  const page = usePage()
  const {series, replay, fresh, veiled, dragging, state} = page
  const box = useRef(/** @type {HTMLDivElement | null} */ (null))
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null))
  const {width, height} = useSize(box)
  useMedia(PHONE)
  const levels = useMemo(() => bytes(matrix.levels), [matrix.levels])
  const head = fresh.value ? replay.head.value : null
  const shown = veiled.value || !(fresh.value || dragging.value) ? [] : series.value // w and α of other data are not shown
  useEffect(() => {
    if (canvas.current && width > EDGE && height > EDGE) draw(canvas.current, {matrix, levels, width, height, lit, spot, head, w: barsOf(shown, head, "primal"), alpha: barsOf(shown, head, "dual")})
  }, [matrix, levels, width, height, lit.primal?.line, lit.dual?.line, spot, head, shown, dark.value, state.value.slide])
  const at = (/** @type {PointerEvent} */ event) => {
    const frame = /** @type {HTMLElement} */ (box.current).getBoundingClientRect()
    const scale = width / frame.width || 1
    const [x, y] = [((event.clientX - frame.left) * scale) / (width - EDGE), ((event.clientY - frame.top) * scale - EDGE) / (height - EDGE)]
    const [column, row] = [clamp(Math.floor(x * matrix.columns), 0, matrix.columns - 1), clamp(Math.floor(y * matrix.rows), 0, matrix.rows - 1)]
    onSpot({column, row, side: y < 0 || (event.shiftKey && x < 1) ? "primal" : x > 1 ? "dual" : spot?.side ?? "primal"})
  }
  const key = (/** @type {KeyboardEvent} */ event) => {
    const from = spot ?? {column: 0, row: 0, side: "primal"}
    const by = {ArrowRight: ["primal", 1], ArrowLeft: ["primal", -1], ArrowDown: ["dual", 1], ArrowUp: ["dual", -1]}[event.key]
    if (event.key === "Escape") onSpot(null)
    if (!by) return
    event.preventDefault()
    event.stopPropagation()
    onSpot({side: by[0], column: clamp(from.column + (by[0] === "primal" ? Number(by[1]) : 0), 0, matrix.columns - 1),
      row: clamp(from.row + (by[0] === "dual" ? Number(by[1]) : 0), 0, matrix.rows - 1)})
  }
  const label = `${count(matrix.rows)} rows × ${count(matrix.columns)} columns with ${count(matrix.nonzeros)} entries. Arrow keys read columns and rows.`
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read its lines
    <div class="picture" ref={box} role="img" tabIndex={0} aria-label={label} onKeyDown={key} onBlur={() => onSpot(null)} onPointerMove={at} onPointerDown={at} onPointerLeave={() => onSpot(null)}>
      <canvas ref={canvas} /><i class="p">w</i><i class="d">α</i>
    </div>
  )
}

/** w or |α| at the head, and by what to divide it. @param {import("../curves").Series[]} shown @param {number | null} head @param {"primal" | "dual"} side */
function barsOf(shown, head, side) {
  const each = shown.find((one) => one.side === side) ?? shown.find((one) => one.run.snapshots.length > 0)
  const snapshots = each?.run.snapshots ?? []
  if (!each || !snapshots.length) return null
  const now = head === null ? snapshots[snapshots.length - 1] : snapshots[lastAt(snapshots.map(({passes}) => passes), each.passesAt(head))]
  const of = (/** @type {import("../schema").Snapshot} */ snapshot) => (side === "primal" ? snapshot.w : snapshot.alpha)
  return {values: of(now), most: Math.max(1e-300, ...of(snapshots[snapshots.length - 1]).map(Math.abs), ...of(now).map(Math.abs))}
}

/** @param {HTMLCanvasElement} canvas @param {any} what */
function draw(canvas, {matrix, levels, width, height, lit, spot, w, alpha}) {
  const dense = (devicePixelRatio * canvas.getBoundingClientRect().width) / width || 1
  canvas.width = width * dense
  canvas.height = height * dense
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"))
  pen.scale(dense, dense)
  const styles = getComputedStyle(canvas)
  const ink = (/** @type {string} */ name) => styles.getPropertyValue(name)
  const [mw, mh] = [width - EDGE, height - EDGE]
  const {across, down} = matrix
  const [cw, rh] = [mw / across, mh / down]
  const cell = (/** @type {number} */ row, /** @type {number} */ column, /** @type {number} */ grow = 0) =>
    pen.fillRect(column * cw - grow / 2, EDGE + row * rh - grow / 2, Math.max(cw * 0.9, 1) + grow, Math.max(rh, 1.5) + grow)
  pen.fillStyle = ink("--wash")
  pen.fillRect(0, EDGE, mw, mh)
  pen.fillStyle = ink("--cell")
  for (let k = 0; k < levels.length; k++) {
    if (!levels[k]) continue
    pen.globalAlpha = 0.35 + (0.6 * levels[k]) / 255
    cell(Math.floor(k / across), k % across)
  }
  pen.globalAlpha = 1
  const column = spot?.side === "primal" ? spot.column : lit.primal?.line
  const row = spot?.side === "dual" ? spot.row : lit.dual?.line
  const [j, i] = [column === undefined ? -1 : binOf(matrix, "primal", column), row === undefined ? -1 : binOf(matrix, "dual", row)]
  if (j >= 0) {
    pen.fillStyle = ink("--pw")
    pen.fillRect(j * cw - 1, EDGE, Math.max(cw, 3) + 2, mh)
    pen.fillStyle = ink("--p")
    for (let r = 0; r < down; r++) if (levels[r * across + j]) pen.fillRect(j * cw, EDGE + r * rh, Math.max(cw, 3), Math.max(rh, 1))
    pen.beginPath()
    pen.moveTo(j * cw + cw / 2 - 5, EDGE - 6)
    pen.lineTo(j * cw + cw / 2 + 5, EDGE - 6)
    pen.lineTo(j * cw + cw / 2, EDGE - 1)
    pen.fill()
  }
  if (i >= 0) {
    const top = EDGE + i * rh + rh / 2
    pen.fillStyle = ink("--dw")
    pen.fillRect(0, top - 4, mw, 8)
    pen.fillStyle = ink("--d")
    for (let c = 0; c < across; c++) if (levels[i * across + c]) pen.fillRect(c * cw, top - 3.5, Math.max(cw, 2.6), 7)
    pen.beginPath()
    pen.moveTo(mw + 5, top - 5)
    pen.lineTo(mw + 5, top + 5)
    pen.lineTo(mw, top)
    pen.fill()
  }
  pen.globalAlpha = 0.8
  pen.fillStyle = ink("--p")
  w?.values.forEach((/** @type {number} */ value, /** @type {number} */ k) => {
    const size = (value / w.most) * (EDGE / 2 - 3)
    pen.fillRect((k * mw) / w.values.length, EDGE / 2 - 3 - Math.max(size, 0), Math.max((0.8 * mw) / w.values.length, 0.8), Math.max(Math.abs(size), 0.5))
  })
  pen.fillStyle = ink("--d")
  alpha?.values.forEach((/** @type {number} */ value, /** @type {number} */ k) => {
    pen.fillRect(mw + 6, EDGE + (k * mh) / alpha.values.length, (Math.abs(value) / alpha.most) * (EDGE - 8), Math.max((0.8 * mh) / alpha.values.length, 0.8))
  })
}
