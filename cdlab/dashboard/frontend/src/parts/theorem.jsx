// What theory promises of each entry: the formula, its numbers, its value, and the line that sets it.
import {explains, Term} from "./term.jsx"
import {usePage, colour} from "./page_context.js"
import {sideOf} from "./matrix.jsx"
import {methodOf, passes} from "../words.js"

export function Theorems() {
  const page = usePage()
  const {prediction, predicted, catalog, veiled} = page
  const known = predicted.value ?? prediction.value
  const {primal_sampling: primal, dual_sampling: dual} = page.choices.value
  return (
    <section class="theorems" aria-label="Theorem">
      <h2>The theorem</h2>
      <p class="s"><Term name="pass">passes</Term> to the target, <Term name="on average">on average</Term>{primal === dual && <>, with {primal.replaceAll("_", " ")} draws</>}</p>
      {known?.theorems.slice(0, 4).map((theorem) => <Statement key={theorem.label} theorem={theorem} side={catalog.methods.find((each) => each.name === methodOf(theorem.label))?.side ?? "full"} />)}
      {!veiled.value && known && <Meanings theorems={known.theorems} />}
    </section>
  )
}

/** @param {{theorem: import("../schema").Theorem, side: string}} props */
function Statement({theorem, side}) {
  const {veiled, replay, say} = usePage()
  const {label, mathml, numbers, value, line_words: lineWords, words, source} = theorem
  const mark = {primal: "▼", dual: "◀", full: ""}[sideOf(theorem)]
  const light = () => {
    replay.rest()
    document.getElementById("matrix")?.scrollIntoView({block: "nearest"})
    say(`${lineWords[0].toUpperCase()}${lineWords.slice(1)} sets the bound of ${label}: it is lit in the matrix.`)
  }
  return (
    <div class={`thm ${colour(side)}`}>
      <div class="r">
        <span><b class={colour(side)}>{label}</b> {theorem.line !== null && lineWords && <span class="s">set by <span class={colour(side)}>{mark}</span> <button class="link" onClick={light}>{lineWords}</button></span>}</span>
        {!veiled.value && value !== null && <span class="val">{passes(value)}</span>}
      </div>
      {mathml
        // biome-ignore lint/security/noDangerouslySetInnerHtml: MathML from the engine, the one field that holds markup
        ? <div class="eq"><span class="term" tabIndex={-1} role="note" aria-label={words} {...explains([words, source].filter(Boolean).join(" "))} dangerouslySetInnerHTML={{__html: mathml}} />{!veiled.value && <span class="num">= {numbers}</span>}</div>
        : <p class="s">{words}</p>}
    </div>
  )
}

/** Each symbol of the theorems with its value. @param {{theorems: import("../schema").Theorem[]}} props */
const Meanings = ({theorems}) => (
  <p class="s meanings">{[...new Map(theorems.flatMap((each) => each.meanings))].map(([symbol, words], k) => (
    // biome-ignore lint/security/noDangerouslySetInnerHtml: MathML from the engine
    <span key={symbol}>{k > 0 && "; "}<span dangerouslySetInnerHTML={{__html: symbol}} /> {words}</span>
  ))}</p>
)
