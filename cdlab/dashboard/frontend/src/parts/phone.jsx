// On a phone: a bar that is always in view, and the choices as a sheet below the figure.
import {useEffect, useRef, useState} from "preact/hooks"
import {Choices} from "./choices.jsx"
import {StoryKey} from "./headline.jsx"
import {PlayButton} from "./player.jsx"
import {Guesses} from "./voice.jsx"
import {scrollToTop, usePage} from "./page_context.js"
import {number, passes} from "../words.js"

export function PhoneBar() {
  const page = usePage()
  const {series, outcome, veiled, racing, replay, state, stories, axis} = page
  const two = series.value.slice(0, 2)
  const reached = (/** @type {import("../curves").Series} */ each) => (each.reached === null ? `> ${passes(each.last)}` : passes(each.reached))
  const [open, setOpen] = useState(false)
  const told = state.value.story > 0 && stories.told.value && !open
  const sheet = useRef(/** @type {HTMLDivElement | null} */ (null))
  useEffect(() => {
    const root = /** @type {ParentNode} */ (sheet.current?.getRootNode())
    if (replay.playing.value) root.querySelector(".figure")?.scrollIntoView({block: "nearest", behavior: "smooth"})
    if (!open) return
    scrollToTop(root.querySelector(".middle"))
    sheet.current?.focus({preventScroll: true})
  }, [open, replay.playing.value])
  return (
    <>
      <div ref={sheet} class={`sheet ${open ? "open" : ""}`} role="dialog" aria-label="Change something" tabIndex={-1} inert={!open}
        onKeyDown={(event) => event.key === "Escape" && setOpen(false)}>
        {open && <Choices />}
      </div>
      <section class="bar" aria-label="Replay">
        {veiled.value && !open ? <Guesses /> : <>
          <PlayButton />
          {!told && <span class="s">{racing.value ? "racing …" : outcome.value && <>{two.map((each) => each.label).join(" against ")}<br />{replay.head.value === null ? two.map(reached).join(" : ") : number(replay.head.value, 2)} {axis.value === "passes" ? "passes" : "rounds"}</>}</span>}
          <span class="sp" />
        </>}
        <button aria-expanded={open} onClick={() => setOpen(!open)}>{open ? "Done" : "Change…"}</button>
        {told && <StoryKey />}
      </section>
    </>
  )
}
