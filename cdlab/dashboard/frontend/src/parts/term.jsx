// Words and symbols that explain themselves on focus, touch and under the pointer. Together they are one tab stop.
import {signal} from "@preact/signals"
import {usePage} from "./page_context.js"

const WAIT = 500 // milliseconds that a pointer rests before something is explained
const tip = signal(/** @type {{words: string, x: number, y: number} | null} */ (null))

/** @param {string} words @param {Element} target */
function show(words, target) {
  const root = target.closest(".cdlab")
  if (!root || !words) return
  const there = target.getBoundingClientRect()
  const frame = root.getBoundingClientRect()
  tip.value = {words, x: Math.max(8, Math.min(there.left - frame.left, frame.width - 308)), y: there.bottom - frame.top + 6}
}
export const hideTip = () => {
  clearTimeout(soon)
  tip.value = null
}
let soon = /** @type {any} */ (0)

/** What explains something: properties for its element. @param {string} words */
export const explains = (words) => ({
  onPointerEnter: (/** @type {any} */ {currentTarget, pointerType}) => {
    soon = setTimeout(() => show(words, currentTarget), pointerType === "mouse" ? WAIT : 0)
  },
  onPointerDown: (/** @type {any} */ {pointerType}) => pointerType === "mouse" && hideTip(),
  onPointerLeave: hideTip,
  onFocus: (/** @type {any} */ {currentTarget}) => currentTarget.matches(":focus-visible") && show(words, currentTarget),
  onBlur: hideTip,
})

/** @param {KeyboardEvent & {currentTarget: Element}} event */
function move(event) {
  const by = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key]
  if (!by) return
  event.preventDefault()
  event.stopPropagation()
  const all = /** @type {HTMLElement[]} */ ([...(event.currentTarget.closest(".cdlab")?.querySelectorAll(".term") ?? [])]).filter((each) => each.checkVisibility?.() ?? true)
  const next = all[(all.indexOf(/** @type {any} */ (event.currentTarget)) + by + all.length) % all.length]
  for (const each of all) each.tabIndex = each === next ? 0 : -1
  next.focus()
}

/** @param {{name: string, first?: boolean, children?: any}} props  `first`: the tab stop of all terms */
export function Term({name, first = false, children = name}) {
  const words = usePage().catalog.terms[name]
  if (!words) return <>{children}</>
  return <span class="term" tabIndex={first ? 0 : -1} role="note" aria-label={`${name}: ${words}`} onKeyDown={move} {...explains(words)}>{children}</span>
}

/** Where explanations appear. */
export function Tip() {
  const shown = tip.value
  return shown && <div class="tip" style={{left: `${shown.x}px`, top: `${shown.y}px`}} aria-hidden="true">{shown.words}</div>
}
