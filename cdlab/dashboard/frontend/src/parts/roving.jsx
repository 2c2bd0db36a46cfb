// A row of controls that is one tab stop: arrow keys go from one to the next.
import {useLayoutEffect, useRef} from "preact/hooks"

/** @param {Record<string, any>} props  `role` and `label`; the rest goes to the element */
export function Roving({role = "toolbar", label, children, ...rest}) {
  const ref = useRef(/** @type {HTMLDivElement | null} */ (null))
  const controls = () => /** @type {HTMLElement[]} */ ([...(ref.current?.querySelectorAll("button, a[href]") ?? [])])
  useLayoutEffect(() => {
    const all = controls()
    const chosen = all.find((each) => each.matches("[aria-checked=true], [aria-pressed=true], [aria-current]"))
    const focused = all.find((each) => each.matches(":focus"))
    for (const each of all) each.tabIndex = each === (focused ?? chosen ?? all[0]) ? 0 : -1
  })
  const move = (/** @type {KeyboardEvent} */ event) => {
    const by = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key]
    const all = controls()
    const from = all.findIndex((each) => each.matches(":focus"))
    if (!by || from < 0) return
    event.preventDefault()
    event.stopPropagation()
    const next = all[(from + by + all.length) % all.length]
    for (const each of all) each.tabIndex = each === next ? 0 : -1
    next.focus()
    if (role === "radiogroup") next.click()
  }
  return <div ref={ref} {...rest} {...{role, "aria-label": label, onKeyDown: move}}>{children}</div>
}
