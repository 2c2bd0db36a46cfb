// What is chosen: data, sampling, algorithms, regularisation.
import {useRef} from "preact/hooks"
import {Algorithms} from "./algorithms.jsx"
import {Chooser} from "./chooser.jsx"
import {Roving} from "./roving.jsx"
import {ChoiceSlider} from "./slider.jsx"
import {explains, Term} from "./term.jsx"
import {usePage} from "./page_context.js"
import {cardOf, count, number, passes, weight} from "../words.js"

const CARDS = 4 // kinds of data with a picture
const CHIPS = ["uniform", "importance", "permutation", "cyclic"] // samplings with a button of their own

export const Choices = () => <div class="choices"><Data /><Sampling /><Algorithms /><Regularisation /></div>

/** @param {{levels: number[][]}} props */
const Thumbnail = ({levels}) => {
  const [down, across] = [levels.length, levels[0].length]
  return (
    <svg width="40" height="33" viewBox={`0 0 ${across} ${down}`} preserveAspectRatio="none" aria-hidden="true">
      {levels.flatMap((row, i) => row.map((level, j) => level > 0 && <rect key={`${i},${j}`} x={j} y={i} width=".84" height=".84" opacity={0.3 + 0.7 * level} />))}
    </svg>
  )
}

function Data() {
  const page = usePage()
  const {catalog, choices, predicted, prediction} = page
  const file = useRef(/** @type {HTMLInputElement | null} */ (null))
  const now = choices.value
  const card = cardOf(catalog, now)
  const own = now.data === "upload" ? now.upload.split(":")[0] : "" // name of the reader's file
  const cards = catalog.cards.slice(0, CARDS)
  if (card && !cards.includes(card)) cards[CARDS - 1] = card
  const loss = catalog.losses.find((each) => each.name === now.loss)
  const matrix = (predicted.value ?? prediction.value)?.matrix
  const preset = catalog.presets.find((each) => each.name === now.data)
  const size = preset && !predicted.value?.matrix ? [preset.n, preset.d] : matrix && [matrix.rows, matrix.columns]
  const words = size ? `${count(size[0])} examples × ${count(size[1])} ${card?.name === "words" ? "words" : "features"}` : page.waiting.value ? "…" : ""
  return (
    <section aria-label="Data" class="data">
      <div class="lab">
        Data <span>{words}{words && " · "}</span>
        <Chooser label="Loss" class="inline" value={now.loss} onChoose={(name) => page.choose({loss: name})}
          options={catalog.losses.map(({name, words, group, why_not: why}) => ({value: name, name: name.replaceAll("_", " "), words, group, why}))}>{(loss?.name ?? now.loss).replaceAll("_", " ")} loss ▾</Chooser>
      </div>
      <div class="row">
        <Roving role="radiogroup" label="Kind of data" class="thumbs">
          {cards.map((each) => (
            <button key={each.name} role="radio" aria-checked={each === card} class={`thumb ${each === card ? "on" : ""}`} {...explains(each.words)} onClick={() => page.choose(each.sets)}>
              <Thumbnail levels={each.thumbnail} />{each.title}
            </button>
          ))}
        </Roving>
        {card && (
          <div class="sliders">
            {card.sliders.slice(0, 4).map((name) => {
              const slider = catalog.sliders.find((each) => each.name === name)
              return slider && <ChoiceSlider key={name} slider={slider} value={now[name]} onDrag={(value) => page.drag({[name]: value})} onDone={page.letGo} />
            })}
          </div>
        )}
        <div class="sources">
          <Chooser label="More data" class="right" value={now.data} onChoose={(name) => page.choose(catalog.cards.find((each) => each.name === name)?.sets ?? {data: name})}
            options={[
              ...catalog.presets.map((each) => ({value: each.name, name: each.name, group: "Real data", words: `${count(each.n)} × ${count(each.d)}. ${each.words}`, why: each.why_not})),
              ...catalog.cards.filter((each) => !cards.includes(each)).map((each) => ({value: each.name, name: each.title, group: "Made here", words: each.words})),
            ]}>
            {card || now.data === "upload" ? "real data" : <b>{now.data}</b>} ▾
          </Chooser>
          <button onClick={() => file.current?.click()} title={own}>{own ? <b class="cut">{own}</b> : "your file…"}</button>
          <input ref={file} type="file" hidden aria-label="Your file" tabIndex={-1} onChange={(event) => {
            const [chosen] = event.currentTarget.files ?? []
            if (chosen) void page.takeFile(chosen)
            event.currentTarget.value = ""
          }} />
        </div>
      </div>
    </section>
  )
}

/** How draws look, one bar or dot each: heights of draws, or their order. @type {Record<string, {heights?: number[], order?: number[]}>} */
const ICONS = {
  uniform: {heights: [5, 5, 5, 5, 5, 5, 5, 5]}, importance: {heights: [14, 11, 8, 6, 4, 3, 3, 2]}, norms: {heights: [12, 10, 8, 7, 5, 5, 4, 3]},
  permutation: {order: [3, 6, 0, 5, 2, 7, 1, 4]}, fixed_permutation: {order: [3, 6, 0, 5, 3, 6, 0, 5]}, cyclic: {order: [0, 1, 2, 3, 4, 5, 6, 7]},
  symmetric: {order: [0, 2, 4, 6, 6, 4, 2, 0]},
}

/** @param {{name: string}} props */
function Icon({name}) {
  const {heights, order} = ICONS[name] ?? {}
  return (
    <svg width="34" height="16" viewBox="0 0 34 16" aria-hidden="true">
      {heights?.map((h, i) => <rect key={i} x={i * 4.2} y={16 - h} width="3" height={h} />)}
      {order?.map((v, i) => <rect key={i} x={i * 4.2} y={14 - v * 1.9} width="3" height="2.4" />)}
    </svg>
  )
}

function Sampling() {
  const page = usePage()
  const {catalog, choices, ownDraws} = page
  const {primal_sampling: primal, dual_sampling: dual} = choices.value
  const names = primal === dual && !CHIPS.includes(primal) ? [...CHIPS.slice(0, -1), primal] : CHIPS
  const chips = names.flatMap((name) => catalog.samplings.find((each) => each.name === name) ?? [])
  const draw = (/** @type {string} */ name) => page.choose({primal_sampling: name, dual_sampling: name})
  return (
    <section aria-label="Sampling">
      <div class="lab"><Term name="sampling">Sampling</Term> {ownDraws.value ? <span>each method its own</span> : primal === dual
        ? <Chooser label="All samplings" class="inline" value={primal} onChoose={draw}
            options={catalog.samplings.map(({name, words, group, why_not: why}) => ({value: name, name: name.replaceAll("_", " "), words, group, why}))}>who is drawn ▾</Chooser>
        : <span>each side its own</span>}</div>
      <Roving role="radiogroup" label="Who is drawn" class="chips">
        {chips.map(({name, words, why_not: why}) => {
          const on = !ownDraws.value && primal === name && dual === name
          return (
            <button key={name} role="radio" aria-checked={on} class={`chip ${on ? "on" : ""}`} aria-disabled={!!why} {...explains(why || words)} onClick={() => !why && draw(name)}>
              {name.replaceAll("_", " ")}<Icon name={name} />
            </button>
          )
        })}
      </Roving>
    </section>
  )
}

function Regularisation() {
  const page = usePage()
  const {catalog, choices, predicted, prediction} = page
  const slider = catalog.sliders.find((each) => each.name === "l2")
  const {matrix, condition} = predicted.value ?? prediction.value ?? {}
  if (!slider) return null
  return (
    <section aria-label="Regularisation" class="weight">
      <div class="lab">Regularisation</div>
      <ChoiceSlider slider={{...slider, label: "λ"}} value={choices.value.l2} words={weight(choices.value)} onDrag={(l2) => page.drag({l2})} onDone={page.letGo} />
      <p class="s">
        {choices.value.l1 > 0 && `λ₁ = ${number(choices.value.l1)}; `}{!matrix || condition === undefined ? "" : condition === null ? "no smoothness, no κ" : <><Term name="κ">κ/n</Term> = {passes(condition)}:<br />the larger, the harder</>}
      </p>
    </section>
  )
}
