// Words and symbols that explain themselves on focus, touch and under the pointer. Together they are one tab stop.
import {signal} from "@preact/signals"
import {useEffect, useLayoutEffect, useRef} from "preact/hooks"
import {usePage} from "./page_context.js"

const WAIT = 500 // milliseconds that a pointer rests before something is explained
const tip = signal(/** @type {{words: any, x: number, y: number, of: Element, touched: boolean} | null} */ (null))

/** @param {any} words @param {Element} target @param {boolean} [touched] */
function show(words, target, touched = false) {
  const root = target.closest(".cdlab")
  if (!root || !words) return
  const there = target.getBoundingClientRect()
  const frame = root.getBoundingClientRect()
  tip.value = {words, x: Math.max(8, Math.min(there.left - frame.left, frame.width - 308)), y: there.bottom - frame.top + 6, of: target, touched}
}
export const hideTip = () => {
  clearTimeout(soon)
  tip.value = null
}
let soon = /** @type {any} */ (0)

/**
 * What explains something: properties for its element. A touch explains terms alone, until the next one or a
 * scroll: a card or a slider that is touched is meant to act.
 * @param {any} words  text or elements
 */
export const explains = (words) => ({
  onPointerMove: (/** @type {any} */ {currentTarget, pointerType}) => { // not what has come under a pointer that rests
    if (pointerType !== "mouse" || tip.value?.of === currentTarget) return
    clearTimeout(soon)
    soon = setTimeout(() => show(words, currentTarget), WAIT)
  },
  onPointerEnter: (/** @type {any} */ {currentTarget, pointerType}) => {
    if (pointerType === "mouse") return
    if (tip.value?.of === currentTarget) hideTip()
    else if (currentTarget.classList.contains("term")) show(words, currentTarget, true)
  },
  onPointerLeave: (/** @type {any} */ {pointerType}) => pointerType === "mouse" && hideTip(),
  onPointerDown: (/** @type {any} */ {pointerType}) => pointerType === "mouse" && hideTip(),
  onFocus: (/** @type {any} */ {currentTarget}) => currentTarget.matches(":focus-visible") && show(words, currentTarget),
  onBlur: (/** @type {any} */ {currentTarget}) => tip.value?.of === currentTarget && hideTip(), // a touch shows the next one before this is left
})

/** @param {KeyboardEvent & {currentTarget: Element}} event */
function move(event) {
  const by = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key]
  if (!by) return
  event.preventDefault()
  event.stopPropagation()
  const all = /** @type {HTMLElement[]} */ ([...(event.currentTarget.closest(".cdlab")?.querySelectorAll(".term") ?? [])]).filter((each) => each.checkVisibility?.() ?? true)
  const next = all[(all.indexOf(/** @type {any} */ (event.currentTarget)) + by + all.length) % all.length]
  for (const each of all) each.setAttribute("tabindex", each === next ? "0" : "-1")
  next?.focus()
}

/** Makes one of the terms in view the tab stop of all. @param {Element | null | undefined} root */
function keepOneStop(root) {
  const all = /** @type {HTMLElement[]} */ ([...(root?.querySelectorAll(".term") ?? [])])
  if (all.filter((each) => each.tabIndex === 0).length === 1) return
  for (const each of all) each.setAttribute("tabindex", each === all[0] ? "0" : "-1")
}

/** @param {{name: string, children?: any}} props */
export function Term({name, children = name}) {
  const {catalog} = usePage()
  const ref = useRef(/** @type {HTMLSpanElement | null} */ (null))
  const method = catalog.methods.find((each) => each.name === name)
  const words = catalog.terms[name] ?? method?.sentence
  useLayoutEffect(() => {
    const root = ref.current?.closest(".cdlab")
    keepOneStop(root)
    return () => void Promise.resolve().then(() => keepOneStop(root))
  }, [])
  if (!words) return <>{children}</>
  return <span class="term" ref={ref} role="note" aria-description={words} onKeyDown={move} {...explains(method?.update ? <><p>{words}</p><Update name={name} catalog={catalog} /></> : words)}>{children}</span>
}

/** A step of a method as a formula, with what its letters are. @param {{name: string, catalog?: import("../schema").Catalog}} props */
export function Update({name, catalog = usePage().catalog}) {
  const {update, update_words: letters} = catalog.methods.find((each) => each.name === name) ?? {}
  return <>{update && <span dangerouslySetInnerHTML={{__html: update}} />}{letters && <p class="s">{letters}</p>}</>
}

/** @type {WeakMap<object, RegExp>} */
const patterns = new WeakMap()

/** A text in which each term and method explains itself where it stands first. @param {{text: string}} props */
export function Explained({text}) {
  const {catalog} = usePage()
  if (!patterns.has(catalog)) {
    const names = [...Object.keys(catalog.terms).filter((name) => name.length > 1 || name > "z"), ...catalog.methods.map(({name}) => name)]
    const longest = names.sort((a, b) => b.length - a.length).map((name) => name.replace(/[()^*]/g, "\\$&"))
    patterns.set(catalog, new RegExp(`(?<![\\p{L}\\d_])((?:${longest.join("|")})(?:e?s)?)(?![\\p{L}\\d_*(²])`, "u"))
  }
  const seen = new Set()
  return <>{text.split(/** @type {RegExp} */ (patterns.get(catalog))).map((part, k) => {
    const name = [part, part.slice(0, -1), part.slice(0, -2)].find((each) => each in catalog.terms) ?? part
    if (k % 2 === 0 || seen.has(name)) return part
    seen.add(name)
    const [letter, index] = part.split("_")
    return <Term key={name} name={name}>{/^[A-Z]_[A-Z]$/.test(part) ? <>{letter}<sub>{index}</sub></> : part}</Term>
  })}</>
}

/** A symbol of a formula. @param {{name: string, class?: string, children?: any}} props */
export function SymbolTerm({name, class: className = "", children = name}) {
  const words = usePage().catalog.terms[name]
  return words ? <mi class={`term ${className}`} {.../** @type {any} */ ({tabIndex: -1, onKeyDown: move})} aria-description={words} {...explains(words)}>{children}</mi> : <mi class={className}>{children}</mi>
}

/** Where explanations appear. */
export function Tip() {
  const shown = tip.value
  useEffect(() => {
    if (!shown?.touched) return
    const leave = (/** @type {Event} */ event) => {
      if (event.type === "scroll" || !event.composedPath().includes(/** @type {any} */ (tip.value)?.of)) hideTip() // what is touched now may have taken its place
    }
    for (const name of ["pointerdown", "scroll"]) addEventListener(name, leave, {capture: true, passive: true})
    return () => {
      for (const name of ["pointerdown", "scroll"]) removeEventListener(name, leave, {capture: true})
    }
  }, [shown])
  return shown && <div class="tip" style={{left: `${shown.x}px`, top: `${shown.y}px`}} aria-hidden="true">{shown.words}</div>
}
