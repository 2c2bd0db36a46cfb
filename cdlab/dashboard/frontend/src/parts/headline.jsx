// What the page is about, with both formulas; a story takes the place.
import {useState} from "preact/hooks"
import {DualFormula, MapFormula, PrimalFormula} from "./formulas.jsx"
import {Term} from "./term.jsx"
import {usePage} from "./page_context.js"

export function Headline() {
  const {state} = usePage()
  if (!state.value.story) return <Purpose />
  if (state.value.story === 1) return <section class="head story opening" aria-label="Story"><div><StoryTitle /><StoryButtons /></div><Sides /></section>
  return <section class="story" aria-label="Story"><StoryTitle /><StoryTools /></section>
}

function Purpose() {
  const {options, choices} = usePage()
  const [folded, setFolded] = useState(options.storage?.getItem("cdlab.folded") === "yes")
  const fold = () => {
    options.storage?.setItem("cdlab.folded", folded ? "no" : "yes")
    setFolded(!folded)
  }
  const l1 = choices.value.l1 ?? 0
  const button = <button class="link fold desk" aria-expanded={!folded} onClick={fold}>{folded ? "unfold" : "fold"}</button>
  if (folded) return <section class="head folded" aria-label="Problem"><h1>Primal or dual?</h1><PrimalFormula l1={l1} /><DualFormula /><MapFormula l1={l1} />{button}</section>
  return (
    <section class="head" aria-label="Problem">
      <div><h1>Primal or dual?</h1><p>Fit a linear model by changing one number at a time. Which side gets there first?</p></div>
      <Sides />
      {button}
    </section>
  )
}

/** What primal and dual are, and how each has a point of the other side. */
export function Sides() {
  const l1 = usePage().choices.value.l1 ?? 0
  return (
    <>
      <div class="def p">
        <p class="s"><b class="p"><Term name="primal">Primal</Term>:</b> one <Term name="weight" /> per column. Make P small. Its α: αᵢ = −φᵢ′(xᵢ·w).</p>
        <PrimalFormula l1={l1} />
      </div>
      <div class="def d">
        <p class="s"><b class="d"><Term name="dual">Dual</Term>:</b> one <Term name="multiplier" /> per row. Make D large. D never exceeds P; at the best w they meet. Its w: w(α).</p>
        <span class="maths"><DualFormula /><MapFormula l1={l1} /></span>
      </div>
    </>
  )
}

export function StoryTitle() {
  const {stories, state, options} = usePage()
  const notebook = stories.now.value?.notebook ?? ""
  return (
    <div class="title">
      <h1>{state.value.story} · {stories.now.value?.title}</h1>
      <span class="s">step {state.value.step} of {stories.now.value?.steps.length}{options.notebooks ? <> · <a href={`${options.notebooks}${notebook}.html`} target="_blank" rel="noopener">Notebook {notebook.replace(/^0?(\d+)_/, "$1: ").replaceAll("_", " ")}</a></> : ` · cdlab’s notebook ${notebook.slice(0, 2)}`}</span>
    </div>
  )
}

/** The change that the story is about, or the next story. */
export function StoryKey() {
  const {stories, state, veiled} = usePage()
  const {story, step} = state.value
  const change = stories.now.value?.steps[step]?.button
  const next = stories.all[story]?.title
  return change ? <button class="key" disabled={veiled.value || !stories.ran.value} title={stories.ran.value ? "" : "after the first race"} onClick={stories.change}>{change} ›</button>
    : <button class="key" title={next} onClick={() => (next ? stories.enter(story + 1) : stories.leave())}>{next ? "Next story ›" : "Explore freely ›"}</button>
}

export function StoryTools() {
  const l1 = usePage().choices.value.l1 ?? 0
  return (
    <>
      <div class="formulas"><div class="def p"><PrimalFormula l1={l1} /></div><div class="def d"><DualFormula /></div></div>
      <StoryButtons />
    </>
  )
}

function StoryButtons() {
  const {stories, state} = usePage()
  const {story, step} = state.value
  return (
    <div class="tools">
      <button onClick={stories.back} disabled={story === 1 && step === 1}>‹ Back</button>
      <button onClick={stories.leave}>Explore</button>
      <StoryKey />
    </div>
  )
}
