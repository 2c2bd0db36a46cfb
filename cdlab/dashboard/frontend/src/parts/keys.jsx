// Keys for the whole page, and the list of them.
import {useEffect, useRef} from "preact/hooks"
import {hideTip} from "./term.jsx"
import {KEYS, press, taken} from "../keyboard.js"

/** @param {import("../page").Page} page @param {() => void} showKeys */
export function useKeys(page, showKeys) {
  useEffect(() => {
    const heard = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") hideTip()
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
