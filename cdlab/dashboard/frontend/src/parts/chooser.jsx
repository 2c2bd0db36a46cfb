// A list to choose from: grouped, searched by words, what cannot be chosen grey with its reason.
import {useEffect, useId, useRef, useState} from "preact/hooks"

const COMBOBOX = /** @type {any} */ ({role: "combobox", "aria-expanded": "true"})

/** @typedef {{value: string, name: string, words?: string, group?: string, search?: string, why?: string, side?: string}} Option */

/**
 * @param {{label: string, options: Option[], value?: string, onChoose: (value: string) => void, class?: string, children: any, more?: any}} props
 */
export function Chooser({label, options, value, onChoose, class: className = "", children, more}) {
  const [open, setOpen] = useState(false)
  const [sought, setSought] = useState("")
  const [at, setAt] = useState(0)
  const box = useRef(/** @type {HTMLDivElement | null} */ (null))
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null))
  const input = useRef(/** @type {HTMLInputElement | null} */ (null))
  const id = useId()
  const groups = [...new Set(options.map(({group}) => group))]
  const fits = (/** @type {Option} */ {name, words, group, search}) => `${name} ${words} ${group} ${search}`.toLowerCase().includes(sought.trim().toLowerCase())
  const named = (/** @type {Option} */ {name}) => +(sought !== "" && name.toLowerCase() === sought.trim().toLowerCase())
  const found = options.filter(fits).sort((a, b) => named(b) - named(a) || groups.indexOf(a.group) - groups.indexOf(b.group))
  useEffect(() => {
    if (!open) return
    setSought("")
    setAt(Math.max(0, found.findIndex((each) => each.value === value)))
    if (!matchMedia("(pointer: coarse)").matches) input.current?.focus() // a touch would bring up the keyboard, over the list
    box.current?.querySelector(".list")?.scrollIntoView({block: "nearest"})
    const root = /** @type {Document} */ (box.current?.getRootNode())
    const outside = (/** @type {Event} */ event) => !event.composedPath().includes(/** @type {any} */ (box.current)) && setOpen(false)
    root.addEventListener("pointerdown", outside)
    return () => root.removeEventListener("pointerdown", outside)
  }, [open])
  useEffect(() => box.current?.querySelector(".at")?.scrollIntoView({block: "nearest"}), [at, open])
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const take = (/** @type {Option | undefined} */ option) => {
    if (!option || option.why) return
    close()
    onChoose(option.value)
  }
  const key = (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation()
    if (event.key === "Escape") close()
    else if (event.key === "Enter") take(found[at])
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") setAt((at + (event.key === "ArrowDown" ? 1 : found.length - 1)) % Math.max(found.length, 1))
    else return
    event.preventDefault()
  }
  return (
    <div class={`chooser ${className}`} ref={box}>
      <button ref={button} type="button" aria-label={label} aria-haspopup="listbox" aria-expanded={open} onClick={() => setOpen(!open)}>{children}</button>
      {open && (
        <div class="list">
          <input ref={input} {...COMBOBOX} placeholder="Search" aria-label={`Search ${label}`} aria-controls={id}
            aria-activedescendant={`${id}-${at}`} value={sought} onKeyDown={key}
            onInput={(event) => {
              setSought(event.currentTarget.value)
              setAt(0)
            }} />
          <div role="listbox" id={id} aria-label={label}>
            {found.map((option, k) => (
              <div key={option.value}>
                {option.group && option.group !== found[k - 1]?.group && <div class="group">{option.group}</div>}
                <div role="option" id={`${id}-${k}`} tabIndex={-1} aria-selected={option.value === value} aria-disabled={!!option.why} class={`option ${k === at ? "at" : ""}`}
                  onPointerMove={() => setAt(k)} onClick={() => take(option)} onKeyDown={key}>
                  <b class={option.side ?? ""}>{option.name}</b> <span class="s">{[option.words, option.why].filter(Boolean).join(" ")}</span>
                </div>
              </div>
            ))}
            {!found.length && <p class="s">Nothing here is called so.</p>}
          </div>
          {more && <div class="more">{more(close)}</div>}
        </div>
      )}
    </div>
  )
}
