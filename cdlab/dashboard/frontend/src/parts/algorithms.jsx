// Who races: two methods, a third if wanted; each may draw as chosen above or in its own way.
import {Chooser} from "./chooser.jsx"
import {usePage, colour} from "./page_context.js"
import {methodOf} from "../words.js"

const SIDES = {primal: "Primal: one weight at a time", dual: "Dual: one example at a time", full: "Full gradients"}
const MOST = 6

export function Algorithms() {
  const page = usePage()
  const {catalog, choices, predicted} = page
  /** @type {string[]} */
  const methods = choices.value.methods
  const options = catalog.methods.map((each) => {
    const refusal = methods.includes(each.name) ? undefined : predicted.value?.refusals.find(({what}) => what === each.name)
    return {value: each.name, name: each.name, words: each.words, group: each.group || SIDES[each.side], side: colour(each.side),
      search: [each.sentence, ...each.search].join(" "), why: each.why_not || refusal?.why || ""}
  })
  const put = (/** @type {number} */ k, /** @type {string} */ name) =>
    page.choose({methods: [...new Set(methods.map((each, i) => (i === k ? name : each)))]})
  return (
    <section aria-label="Algorithm" class={`algorithms ${methods.length > 2 ? "many" : ""}`}>
      <div class="lab">
        Algorithm
        {methods.length < MOST && (
          <Chooser label="Add a method" class="inline" onChoose={(name) => page.choose({methods: [...new Set([...methods, name])]})} options={options.filter(({value}) => !methods.includes(value))}>
            + add a {methods.length === 1 ? "second" : "third"}
          </Chooser>
        )}
      </div>
      <div class="alg">
        {methods.map((name, k) => {
          const method = catalog.methods.find((each) => each.name === methodOf(name))
          const side = method?.side ?? "full"
          return (
            <Chooser key={name} label={`Method ${k + 1}: ${name}`} class={`sel ${colour(side)}`} value={name} options={options} onChoose={(chosen) => put(k, chosen)}
              more={(/** @type {() => void} */ close) => <More name={name} draws={!!method?.draws} side={side} close={close} />}>
              <b class={colour(side)}>{name}</b><span class="words">{method?.words.split(",")[0]}<span class="tail">{method?.words.slice(method.words.split(",")[0].length)}</span></span><span class="sp" />▾
            </Chooser>
          )
        })}
      </div>
    </section>
  )
}

/** @param {{name: string, draws: boolean, side: string, close: () => void}} props */
function More({name, draws, side, close}) {
  const page = usePage()
  const {catalog, choices} = page
  const {methods, primal_sampling: primal, dual_sampling: dual} = choices.value
  const choice = side === "primal" ? "primal_sampling" : "dual_sampling"
  const above = side === "primal" ? dual : primal
  return (
    <>
      {draws && (
        <label class="s">draws <select aria-label={`How ${name} draws`} value={choices.value[choice]} onChange={(event) => page.choose({[choice]: event.currentTarget.value})}>
          {catalog.samplings.filter((each) => !each.why_not).map((each) => <option key={each.name} value={each.name}>{each.name.replaceAll("_", " ")}{each.name === above ? " (as the other side)" : ""}</option>)}
        </select></label>
      )}
      {methods.length > 1 && <button onClick={() => {
        close()
        page.choose({methods: methods.filter((/** @type {string} */ each) => each !== name)})
      }}>Take {name} out</button>}
    </>
  )
}
