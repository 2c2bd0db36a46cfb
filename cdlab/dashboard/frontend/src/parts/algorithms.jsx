// Who races: two methods, a third if wanted; each may draw as chosen above or in its own way.
import {Chooser} from "./chooser.jsx"
import {usePage, colour} from "./page_context.js"
import {entryOf, entryParts, methodOf} from "../words.js"

const MOST = 6
const FITS = 2 // entries that have room for words

export function Algorithms() {
  const page = usePage()
  const {catalog, choices, predicted, sideOf} = page
  /** @type {string[]} */
  const entries = choices.value.methods
  const options = catalog.methods.map((each) => {
    const refusal = entries.includes(each.name) ? undefined : predicted.value?.refusals.find(({what}) => what === each.name)
    return {value: each.name, name: each.name, words: each.words, group: each.group, side: colour(each.side), search: [each.sentence, ...each.search].join(" "),
      why: each.why_not || refusal?.why || ""}
  })
  const put = (/** @type {number} */ k, /** @type {string} */ entry) => page.choose({methods: [...new Set(entries.map((each, i) => (i === k ? entry : each)))]})
  return (
    <section aria-label="Algorithm" class={`algorithms ${entries.length > FITS ? "many" : ""}`}>
      <div class="lab">
        Algorithm
        {entries.length < MOST && (
          <Chooser label="Add a method" class="inline" onChoose={(name) => page.choose({methods: [...new Set([...entries, name])]})} options={options.filter(({value}) => !entries.includes(value))}>
            + add a {["first", "second", "third", "fourth", "fifth", "sixth"][entries.length]}
          </Chooser>
        )}
      </div>
      <div class="alg">
        {entries.map((entry, k) => {
          const {method: name, batch, sampling} = entryParts(entry)
          const words = catalog.methods.find((each) => each.name === name)?.words ?? ""
          const own = [batch > 1 && `${batch} at once`, sampling && `${sampling.replaceAll("_", " ")}${entries.length > FITS ? "" : " draws"}`].filter(Boolean).join(", ")
          const [short] = words.split(",")
          return (
            <Chooser key={entry} label={`Method ${k + 1}: ${entry}`} class={`sel ${colour(sideOf(entry))}`} value={name} options={options} onChoose={(chosen) => put(k, chosen)}
              more={(/** @type {() => void} */ close) => <More entry={entry} put={(changed) => put(k, changed)} close={close} />}>
              <b class={colour(sideOf(entry))}>{name}</b><span class={own ? "words own" : "words"}>{own || short}{!own && <span class="tail">{words.slice(short.length)}</span>}</span><span class="sp" />▾
            </Chooser>
          )
        })}
      </div>
    </section>
  )
}

/** How an entry draws, how many lines at once, and the way out. @param {{entry: string, put: (entry: string) => void, close: () => void}} props */
function More({entry, put, close}) {
  const page = usePage()
  const {catalog, choices} = page
  const parts = entryParts(entry)
  const method = catalog.methods.find((each) => each.name === methodOf(entry))
  const entries = choices.value.methods
  return (
    <>
      {method?.draws && (
        <label class="s">draws <select aria-label={`How ${entry} draws`} value={parts.sampling} onChange={(event) => put(entryOf({...parts, sampling: event.currentTarget.value}))}>
          <option value="">as above</option>
          {catalog.samplings.filter((each) => !each.why_not).map((each) => <option key={each.name} value={each.name}>its own: {each.name.replaceAll("_", " ")}</option>)}
        </select></label>
      )}
      {method?.batches && (
        <label class="s">at once <select aria-label={`How many lines ${entry} moves at once`} value={parts.batch || 1} onChange={(event) => put(entryOf({...parts, batch: Number(event.currentTarget.value)}))}>
          {[...new Set([1, 2, 4, 8, 16, 32, 64, parts.batch || 1])].sort((a, b) => a - b).map((each) => <option key={each} value={each}>{each}</option>)}
        </select></label>
      )}
      {entries.length > 1 && <button onClick={() => {
        close()
        page.choose({methods: entries.filter((/** @type {string} */ each) => each !== entry)})
      }}>Take out</button>}
    </>
  )
}
