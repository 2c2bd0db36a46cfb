// On a phone: a bar that is always in view, and the choices as a sheet below the figure.
import {useEffect, useRef, useState} from "preact/hooks"
import {Choices} from "./choices.jsx"
import {StoryKey} from "./headline.jsx"
import {PlayButton} from "./player.jsx"
import {Guesses} from "./voice.jsx"
import {scrollToTop, useMedia, usePage} from "./page_context.js"
import {EVEN, leadOf} from "../curves.js"
import {number, passes} from "../words.js"

export function PhoneBar() {
  const page = usePage()
  const {veiled, racing, replay, state, stories, axis} = page
  const landscape = useMedia("(orientation: landscape)")
  const [open, setOpen] = useState(false)
  const told = state.value.story > 0 && stories.told.value && !open
  const sheet = useRef(/** @type {HTMLDivElement | null} */ (null))
  useEffect(() => {
    const root = /** @type {ParentNode} */ (sheet.current?.getRootNode())
    if (replay.playing.value) root.querySelector(".figure")?.scrollIntoView({block: "nearest", behavior: "smooth"})
    if (!open) return
    scrollToTop(root.querySelector(".middle"))
    sheet.current?.focus({preventScroll: true})
  }, [open, landscape, replay.playing.value])
  return (
    <>
      <div ref={sheet} class={`sheet ${open ? "open" : ""}`} role="dialog" aria-label="Change something" tabIndex={-1} inert={!open}
        onKeyDown={(event) => event.key === "Escape" && setOpen(false)}>
        {open && <Choices />}
      </div>
      <section class="bar" aria-label="Replay">
        {veiled.value && !open ? <Guesses /> : <>
          <span class={`s ${told ? "over" : "sp"}`}>{racing.value ? "racing …" : replay.head.value === null ? <Verdict /> : `${number(replay.head.value, 2)} ${axis.value === "passes" ? "passes" : "rounds"}`}</span>
          <PlayButton />
          {told && <span class="sp" />}
        </>}
        <button aria-expanded={open} onClick={() => setOpen(!open)}>{open ? "Done" : "Change…"}</button>
        {told && <StoryKey />}
      </section>
    </>
  )
}

/** Who was first, where the voice may be out of view. */
function Verdict() {
  const {series, outcome, axis} = usePage()
  if (!outcome.value) return null
  const [first, ...others] = [...series.value].sort((a, b) => (a.reached ?? Number.POSITIVE_INFINITY) - (b.reached ?? Number.POSITIVE_INFINITY)).slice(0, 2)
  const lead = leadOf(outcome.value, axis.value).lead
  const took = [first, ...others].map((each) => (each.reached === null ? `> ${passes(each.last)}` : passes(each.reached))).join(" : ")
  const who = first.reached === null ? "not there yet" : lead !== null && lead < EVEN ? "about even" : `${first.label} ${others.length ? "first" : ""}`
  return <><b>{who}</b> {took} {axis.value === "passes" ? "passes" : "rounds"}</>
}
