// What the page is about, with both formulas; a story takes the place.
import {useState} from "preact/hooks"
import {DualFormula, MapFormula, PrimalFormula} from "./formulas.jsx"
import {Term} from "./term.jsx"
import {usePage} from "./page_context.js"

export function Headline() {
  return usePage().state.value.story ? <Story /> : <Purpose />
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
      <div class="def p"><p class="s"><b class="p"><Term name="primal">Primal</Term>:</b> one <Term name="w">weight</Term> per column. Make P small.</p><PrimalFormula l1={l1} /></div>
      <div class="def d">
        <p class="s"><b class="d"><Term name="dual">Dual</Term>:</b> one <Term name="α">multiplier</Term> per row. Make D large. D never exceeds P; at the best w they meet.</p>
        <span class="maths"><DualFormula /><MapFormula l1={l1} /></span>
      </div>
      {button}
    </section>
  )
}

function Story() {
  const {stories, state, veiled, choices} = usePage()
  const l1 = choices.value.l1 ?? 0
  const {story, step} = state.value
  const now = stories.now.value
  if (!now) return null
  const change = now.steps[step]?.button
  const next = stories.all[story]?.title
  return (
    <section class="story" aria-label="Story">
      <div class="words">
        <h1>{story} · {now.title} {story === 1 && <span class="s">Primal or dual? Fit a linear model by changing one number at a time.</span>}</h1>
        <p class={stories.words.value.length > 130 ? "long" : ""}>{stories.words.value}</p>
      </div>
      <div class="formulas"><div class="def p"><PrimalFormula l1={l1} /></div><div class="def d"><DualFormula /></div></div>
      <div class="tools">
        <button onClick={stories.back} disabled={story === 1 && step === 1}>‹ Back</button>
        <button onClick={stories.leave}>Keep exploring</button>
        {change ? <button class="key" disabled={veiled.value || !stories.ran.value} title={stories.ran.value ? "" : "after the first race"} onClick={stories.change}>{change} ›</button>
          : <button class="key" onClick={() => (next ? stories.enter(story + 1) : stories.leave())}>{next ? `Next: ${next} ›` : "Explore freely ›"}</button>}
      </div>
    </section>
  )
}
