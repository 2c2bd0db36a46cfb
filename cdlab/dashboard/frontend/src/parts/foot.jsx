// Below the stage: races kept, advice, the drawers as links, and a link to the pages of the papers.
import {Roving} from "./roving.jsx"
import {usePage, colour} from "./page_context.js"
import {leadOf} from "../curves.js"
import {dataWords, passes, times} from "../words.js"

const DRAWERS = ["Words", "Steps", "Bounds", "Face-off", "Sampling", "Runs", "Code", "Proof", "Advanced"]
const HERE = ["Words", "Steps", "Proof", "Advanced"] // made by the page itself

export const Foot = () => <footer class="foot"><Kept /><div><Advised /><Drawers /></div></footer>

function Kept() {
  const page = usePage()
  const {catalog, choices, kept, series, outcome, predicted, veiled, racing, replay, race, axis, ratio, fresh} = page
  const now = fresh.value ? series.value.slice(0, 3) : []
  const done = outcome.value && replay.head.value === null ? outcome.value : null
  const listed = kept.value.some((each) => each.race === race.value)
  /** @type {{label: string, side: string}[]} */
  const names = now.length ? now.map(({label, side}) => ({label, side})) : (predicted.value?.theorems.map((each) => each.label) ?? choices.value.methods).slice(0, 3).map((/** @type {string} */ label) => ({label, side: page.sideOf(label)}))
  return (
    <Roving label="Races kept" role="group" class="kept" tabIndex={0}>
      <table>
        <thead><tr>
          <th scope="col">Races kept</th>
          {names.map(({label, side}) => <th key={label} scope="col" class={`n ${colour(side)}`}>{label}</th>)}
          <th scope="col" class="n">measured</th><th scope="col" class="n">bounds</th><th class="desk"><span class="hidden">change</span></th>
        </tr></thead>
        <tbody>
          <tr>
            <td><b>this: {dataWords(catalog, choices.value)}</b></td>
            {veiled.value ? <td class="n soft" colSpan={names.length + 2}>after your guess</td> : done
              ? <>{names.map(({label}) => <td key={label} class="n">{reachedBy(done.results.find((one) => one.label === label), axis.value)}</td>)}<td class="n">{leadWords(done, axis.value)}</td></>
              : <td class="n soft" colSpan={names.length + 1}>{racing.value ? "racing" : outcome.value ? "in replay" : "–"}</td>}
            {!veiled.value && <td class="n">{predicted.value && ratio.value ? `${times(Math.max(ratio.value, 1 / ratio.value))}×` : "–"}</td>}
            <td class="desk">{done && !listed && <button class="link" onClick={() => page.keep()}>keep</button>}</td>
          </tr>
          {kept.value.slice(0, 3).map((each) => (
            <tr key={each.id} class="soft">
              <td>earlier: {page.keptName(each)}</td>
              {names.map(({label, side}) => <td key={label} class="n">{reachedBy(each.race.outcome?.results.find((one) => [one.label, `${one.label}, ${each.choices[`${side}_sampling`]}`].includes(label)), axis.value)}</td>)}
              <td class="n">{each.race.outcome && leadWords(each.race.outcome, axis.value)}</td>
              <td class="n">{each.ratio ? `${times(Math.max(each.ratio, 1 / each.ratio))}×` : "–"}</td>
              <td class="desk"><button class="link" aria-label={`remove ${each.name}`} onClick={() => page.discard(each.id)}>remove</button></td>
            </tr>
          ))}
        </tbody>
      </table>
    </Roving>
  )
}

/** @param {import("../schema").Outcome} outcome @param {import("../curves").Axis} axis */
function leadWords(outcome, axis) {
  const {lead} = leadOf(outcome, axis)
  return lead ? `${outcome.at_least ? "over " : ""}${times(lead)}×` : "–"
}

/** @param {import("../schema").Result | undefined} found @param {import("../curves").Axis} axis */
const reachedBy = (found, axis) =>
  !found ? "–" : found.reached === null ? `> ${passes(found.last_passes)}` : passes(axis === "passes" ? found.reached : found.iterations)

function Advised() {
  const page = usePage()
  const {advised, veiled, catalog, series, fresh, tried, key, outcome, axis} = page
  const advice = advised.value
  const took = tried.value.key === key.value && fresh.value && outcome.value ? series.value.at(-1) : undefined
  if (catalog.engine !== "python" && !advice) return null
  if (veiled.value) return <p class="advice"><b>Likely best here:</b> <span class="soft">after your guess. Advice draws on test problems as well as on theory.</span></p>
  if (took) return <p class="advice"><b>Likely best was {tried.value.label}:</b> it took {passes(took.reached ?? took.last)} passes{took.reached === null && " and was not there"}.</p>
  if (!advice) return <p class="advice soft">Likely best here: after the race.</p>
  const range = advice.low !== null && advice.high !== null ? ` (${passes(advice.low)}–${passes(advice.high)})` : ""
  const [first] = fresh.value && outcome.value && axis.value === "passes" ? series.value.filter((each) => each.reached !== null).sort((a, b) => Number(a.reached) - Number(b.reached)) : []
  const beside = first ? `; first here: ${first.label}, ${passes(first.reached)}` : ""
  return (
    <p class="advice">
      <b>Likely best here:</b> {advice.passes !== null && `${advice.label}, about ${passes(advice.passes)} ${advice.passes === 1 ? "pass" : "passes"}${range}${beside}. `}{advice.words}{" "}
      {advice.entry && <button class="link bold" onClick={() => page.tryAdvice(advice)}>Run it</button>}
    </p>
  )
}

function Drawers() {
  const {catalog, state, set, options} = usePage()
  const here = [...HERE, ...catalog.drawers, ...(options.hosted ?? [])]
  const elsewhere = DRAWERS.filter((name) => !here.includes(name))
  return (
    <Roving label="Drawers" class="more">
      {DRAWERS.filter((name) => here.includes(name)).map((name) => (
        <button key={name} class="link" aria-expanded={state.value.drawer === name} onClick={() => set({drawer: state.value.drawer === name ? "" : name})}>{name}</button>
      ))}
      {options.notebooks && <a class="link" href={`${options.notebooks}../docs/reproductions/index.html`} target="_blank" rel="noopener">Papers</a>}
      {elsewhere.length > 0 && <span class="soft">With Python: {elsewhere.join(", ")}{catalog.engine !== "python" && ", advice"}</span>}
    </Roving>
  )
}
