// Present: one slide at a time in large type, and below it always what is raced.
import {FaceOff} from "./faceoff.jsx"
import {Figure} from "./figure.jsx"
import {MatrixPart} from "./matrix.jsx"
import {SavePicture} from "./save.jsx"
import {Sides} from "./headline.jsx"
import {Update} from "./term.jsx"
import {Theorems} from "./theorem.jsx"
import {Voice} from "./voice.jsx"
import {usePage, colour} from "./page_context.js"
import {walk} from "../keyboard.js"
import {SLIDES} from "../state.js"
import {dataWords, methodOf, number, weight} from "../words.js"

/** The problem of both sides, its loss, and a step of each method that races. */
function Problem() {
  const {catalog, choices, sideOf} = usePage()
  const loss = catalog.losses.find(({name}) => name === choices.value.loss)
  const names = [...new Set(choices.value.methods.map((/** @type {string} */ each) => methodOf(each)))]
  return (
    <>
      <Sides />
      <p>φ, {choices.value.loss.replaceAll("_", " ")} loss: {loss?.words}.{loss?.words.includes("margin") && " Margin: label × x·w."}</p>
      {names.map((name) => <div key={name} class={`def ${colour(sideOf(name))}`}><b class={colour(sideOf(name))}>{name}</b> <Update name={name} /></div>)}
    </>
  )
}

export function Present() {
  const page = usePage()
  const {catalog, choices, state, stories, set} = page
  const {slide, story} = state.value
  const {methods, primal_sampling: primal, dual_sampling: dual} = choices.value
  return (
    <main><section class="present" aria-label="Present">
      <h1 class="hidden">Primal or dual?</h1>
      <Voice />
      <div class={`slide ${slide}`}>{slide === "problem" ? <Problem /> : slide === "matrix" ? <MatrixPart /> : slide === "theorem" ? <><Theorems /><FaceOff /></> : <Figure half={slide === "values" ? "values" : "gap"} />}</div>
      <footer>
        <span class="about">{story > 0 && <b>{story} · {stories.now.value?.title} · </b>}{dataWords(catalog, choices.value)} · {primal === dual ? primal.replaceAll("_", " ") : `${primal}, ${dual}`} · {methods.map((/** @type {string} */ name, /** @type {number} */ k) => (
          <span key={name}>{k > 0 && " against "}<b class={colour(page.sideOf(name))}>{name.replace(/@(\w+)/, " ($1)")}</b></span>
        ))} · λ = {weight(choices.value)}{choices.value.l1 > 0 && `, λ₁ = ${number(choices.value.l1)}`}</span>
        <div class="tools" role="group" aria-label="Slides">
          {Object.entries(SLIDES).map(([name, words]) => <button key={name} class={`link ${slide === name ? "bold" : ""}`} aria-pressed={slide === name} onClick={() => set({slide: name})}>{words}</button>)}
          <SavePicture class="link" kind="png">Save</SavePicture>
          <button class="link" onClick={() => walk(page)}>{story ? `${story} / ${stories.all.length}` : "Next"} ›</button>
          <button class="link" aria-label="Leave Present" onClick={() => set({slide: ""})}>×</button>
        </div>
      </footer>
    </section></main>
  )
}
