// What theory promises of each entry: the formula, its numbers, its value, and the line that sets it.
import {explains, Explained, Term} from "./term.jsx"
import {usePage, colour} from "./page_context.js"
import {methodOf, passes} from "../words.js"

export function Theorems() {
  const page = usePage()
  const {prediction, predicted, sideOf, veiled, ownDraws} = page
  const known = predicted.value ?? prediction.value
  const {primal_sampling: primal, dual_sampling: dual} = page.choices.value
  return (
    <section class={`theorems ${known && known.theorems.length > 2 ? "three" : ""}`} aria-label="Theorem">
      <h2>The theorem</h2>
      <p class="s"><Term name="pass">passes</Term> that <Term name="bound">suffice</Term>, <Term name="on average">on average</Term>{primal === dual && !ownDraws.value && !known?.theorems.some(({label}) => label.includes(",")) && <>, with {primal.replaceAll("_", " ")} draws</>}</p>
      {known?.theorems.map((theorem) => <Statement key={theorem.label} theorem={theorem} side={sideOf(theorem.label)} />)}
      {!veiled.value && known && <Values theorems={known.theorems} />}
    </section>
  )
}

const LONG = 1400 // characters of a formula that is set smaller

/** @param {{theorem: import("../schema").Theorem, side: import("../schema").RunData["side"]}} props */
function Statement({theorem, side}) {
  const {veiled, replay, say, axis, inUnit, rated} = usePage()
  const {label, mathml, numbers, value, line_words: lineWords, words, source} = theorem
  const rounds = value !== null && axis.value !== "passes" ? inUnit(label, value) : null
  const mark = {primal: "▼", dual: "◀", full: ""}[side]
  const told = explains(<><p>{words}</p><Meanings theorems={[theorem]} /><p class="s">{source}</p></>)
  const light = () => {
    replay.rest()
    document.getElementById("matrix")?.scrollIntoView({block: "nearest"})
    say(`${lineWords[0].toUpperCase()}${lineWords.slice(1)} sets the bound of ${label}: it is lit in the matrix.`)
  }
  return (
    <div class={`thm ${colour(side)}`}>
      <div class="r">
        <span>
          <b class={colour(side)}><Term name={methodOf(label)}>{label}</Term></b>{" "}
          {theorem.line !== null && lineWords && <span class="s"><Term name="set by">set by</Term> <span class={colour(side)}>{mark}</span> <button class="link" onClick={light}>{lineWords}</button></span>}
        </span>
        {!veiled.value && value !== null && <span class="val">{passes(value)}</span>}
      </div>
      {mathml && theorem.curve
        ? <div class="eq"><span class={`term ${mathml.length > LONG ? "long" : ""}`} tabIndex={-1} role="note" aria-description={words} {...told} dangerouslySetInnerHTML={{__html: mathml}} />{!veiled.value && <span class="num">= {numbers}{rounds !== null && <> passes<br />= {passes(rounds)} rounds</>}</span>}</div>
        : <p class="s" {...(mathml && told)}><Explained text={[words, rated.value?.words[label]].filter(Boolean).join(" ")} /></p>}
    </div>
  )
}

/** Each symbol of the theorems with its value, which stands after its meaning. @param {{theorems: import("../schema").Theorem[]}} props */
const Values = ({theorems}) => (
  <p class="s meanings">{[...new Map(theorems.flatMap((each) => each.meanings))].filter(([, words]) => words.includes(": ")).map(([symbol, words], k) => (
    <span key={symbol}>{k > 0 && "; "}<span dangerouslySetInnerHTML={{__html: symbol}} /> = {words.slice(words.lastIndexOf(": ") + 2)}</span>
  ))}</p>
)

/** Each symbol of the theorems with its meaning. @param {{theorems: import("../schema").Theorem[]}} props */
const Meanings = ({theorems}) => (
  <p>{[...new Map(theorems.flatMap((each) => each.meanings))].map(([symbol, words], k) => (
    <span key={symbol}>{k > 0 && "; "}<span dangerouslySetInnerHTML={{__html: symbol}} /> {words}</span>
  ))}</p>
)
