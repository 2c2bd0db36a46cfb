// Keys for the whole page, and the list of them.
import {useEffect, useRef} from "preact/hooks"
import {walk} from "./present.jsx"

export const KEYS = [
  ["Space", "play or pause"], [".", "one step"], ["← →", "move the playhead"], ["G", "guess first, or not"], ["K", "keep this race"], ["R", "new draws"],
  ["N", "next story; in Present, go on"], ["B", "story before"], ["P", "Present"], ["?", "this list"],
]

/**
 * What a key does; false if nothing.
 * @param {import("../page").Page} page @param {string} key @param {() => void} showKeys
 */
export function press(page, key, showKeys) {
  const {replay, state, stories, fresh, veiled} = page
  const can = fresh.value && !veiled.value
  switch (key) {
    case " ": return can && (replay.playing.value ? replay.pause() : replay.play(), true)
    case ".": return can && (replay.step(), true)
    case "ArrowRight": return can && (replay.move(0.02), true)
    case "ArrowLeft": return can && (replay.move(-0.02), true)
    case "g": return page.set({guess: !state.value.guess}), true
    case "k": return page.keep(), true
    case "r": return page.newDraws(), true
    case "n": return state.value.slide ? walk(page) : stories.go(1), true
    case "b": return stories.go(-1), true
    case "p": return page.set({slide: state.value.slide ? "" : "picture"}), true
    case "?": return showKeys(), true
    case "Escape": return !!state.value.slide && (page.set({slide: ""}), true)
  }
  return false
}

/** Whether a control wants the key for itself. @param {KeyboardEvent} event */
function taken(event) {
  const target = /** @type {HTMLElement} */ (event.composedPath()[0])
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true
  if (target.matches?.("input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]")) return true
  if (target.matches?.("input[type=range]") && event.key.startsWith("Arrow")) return true
  return !!target.matches?.("button, a[href], summary, [role=option]") && event.key === " "
}

/** @param {import("../page").Page} page @param {() => void} showKeys */
export function useKeys(page, showKeys) {
  useEffect(() => {
    const heard = (/** @type {KeyboardEvent} */ event) => {
      if (!taken(event) && press(page, event.key.length === 1 ? event.key.toLowerCase() : event.key, showKeys)) event.preventDefault()
    }
    document.addEventListener("keydown", heard)
    return () => document.removeEventListener("keydown", heard)
  }, [page])
}

/** @param {{open: boolean, onClose: () => void}} props */
export function KeyList({open, onClose}) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null))
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal()
    if (!open) dialog.current?.close()
  }, [open])
  return (
    <dialog ref={dialog} class="keys" aria-label="Keys" onClose={onClose}>
      <div class="r"><h2>Keys</h2><button onClick={onClose}>Close</button></div>
      <table><tbody>{KEYS.map(([name, words]) => <tr key={name}><th scope="row"><kbd>{name}</kbd></th><td>{words}</td></tr>)}</tbody></table>
    </dialog>
  )
}
