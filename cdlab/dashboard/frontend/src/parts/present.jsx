// Present: one slide at a time in large type, and below it always what is raced.
import {FaceOff} from "./faceoff.jsx"
import {Figure} from "./figure.jsx"
import {MatrixPart} from "./matrix.jsx"
import {SavePicture} from "./save.jsx"
import {Theorems} from "./theorem.jsx"
import {Voice} from "./voice.jsx"
import {usePage, colour} from "./page_context.js"
import {walk} from "../keyboard.js"
import {SLIDES} from "../state.js"
import {dataWords, weight} from "../words.js"

export function Present() {
  const page = usePage()
  const {catalog, choices, state, stories, set} = page
  const {slide, story} = state.value
  const {methods, primal_sampling: primal, dual_sampling: dual} = choices.value
  return (
    <main><section class="present" aria-label="Present">
      <h1 class="hidden">Primal or dual?</h1>
      <Voice />
      <div class={`slide ${slide}`}>{slide === "matrix" ? <MatrixPart /> : slide === "theorem" ? <><Theorems /><FaceOff /></> : <Figure half={slide === "values" ? "values" : "gap"} />}</div>
      <footer>
        <span class="about">{story > 0 && <b>{story} · {stories.now.value?.title} · </b>}{dataWords(catalog, choices.value)} · {primal === dual ? primal.replaceAll("_", " ") : `${primal}, ${dual}`} · {methods.map((/** @type {string} */ name, /** @type {number} */ k) => (
          <span key={name}>{k > 0 && " against "}<b class={colour(page.sideOf(name))}>{name.replace(/@(\w+)/, " ($1)")}</b></span>
        ))} · λ = {weight(choices.value)}</span>
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
