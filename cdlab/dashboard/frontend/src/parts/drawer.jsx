// An open drawer: the single steps and the rarer choices are made here, all else by the engine or by the page's host.
import {useEffect, useRef, useState} from "preact/hooks"
import {scrollToTop, usePage} from "./page_context.js"
import {Proof} from "./proof.jsx"
import {Update} from "./term.jsx"
import {alongRows} from "../replay.js"
import {cardOf, count, number} from "../words.js"

export function Drawer() {
  const {state, set, options, key} = usePage()
  const {drawer} = state.value
  const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null))
  const before = useRef(/** @type {number | null} */ (null)) // where the reader was
  useEffect(() => {
    if (drawer) {
      before.current ??= scrollY
      heading.current?.focus({preventScroll: true})
      scrollToTop(heading.current?.closest(".drawer"))
    } else if (before.current !== null) {
      scrollTo(0, before.current)
      before.current = null
    }
  }, [drawer])
  if (!drawer) return null
  return (
    <section class="drawer" aria-label={`Drawer: ${drawer}`}>
      <div class="r"><h2 ref={heading} tabIndex={-1}>{drawer}</h2><button onClick={() => set({drawer: ""})}>Close</button></div>
      {drawer === "Steps" ? <Steps /> : drawer === "Words" ? <Words /> : drawer === "Proof" ? <Proof /> : drawer === "Advanced" ? <Advanced /> : options.hosted?.includes(drawer) ? <Hosted drawer={drawer} /> : <FactsOf key={`${drawer} ${key.value}`} drawer={drawer} />}
    </section>
  )
}

/** What the host shows, once it is of this drawer. @param {{drawer: string}} props */
function Hosted({drawer}) {
  const {options, hosted} = usePage()
  const here = hosted.value === drawer
  const box = useRef(/** @type {HTMLDivElement | null} */ (null))
  useEffect(() => {
    const element = options.drawer?.()
    if (element) box.current?.replaceChildren(element)
  }, [])
  return <>{!here && <p class="s" role="status">One moment.</p>}<div ref={box} hidden={!here} /></>
}

/** @param {{drawer: string}} props */
function FactsOf({drawer}) {
  const page = usePage()
  const [answer, setAnswer] = useState(/** @type {import("../schema").Answer | null} */ (null))
  useEffect(() => {
    void page.facts(drawer).then(setAnswer)
  }, [])
  if (!answer) return <p class="s">…</p>
  const facts = /** @type {import("../schema").Facts | null} */ (answer.value)
  if (answer.error || !facts) return <p>{answer.error}</p>
  return (
    <>
      {drawer === "Code" ? <pre>{facts.words}</pre> : <p>{facts.words}</p>}
      {facts.tables.map((table, k) => <Table key={k} table={table} />)}
    </>
  )
}

/** @param {{table: Record<string, any>}} props  its title, head and rows */
const Table = ({table: {title, head, rows}}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
  <div class="scroll" role="group" aria-label={title || "Table"} tabIndex={0}><table>
    {title && <caption>{title}</caption>}
    <thead><tr>{head.map((/** @type {string} */ name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
    <tbody>{rows.map((/** @type {any[]} */ row, /** @type {number} */ k) => (
      <tr key={k}>{row.map((cell, i) => <td key={head[i]} class={typeof cell === "number" ? "n" : ""}>{typeof cell === "number" ? number(cell) : cell ?? "–"}</td>)}</tr>
    ))}</tbody>
  </table></div>
)

/** The first single steps of every entry. */
function Steps() {
  const {series, fresh, veiled} = usePage()
  if (!fresh.value || veiled.value) return <p class="s">After a race: its first steps, one by one.</p>
  return (
    <div class="columns">
      {series.value.map(({label, side, run}) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <div class="scroll" role="group" aria-label={`Steps of ${label}`} tabIndex={0} key={label}><table>
          <caption>{label}: {side === "primal" ? "each step reads a column" : alongRows({side, run}) ? "each step reads a row" : "each step reads all data"}</caption>
          <thead><tr>{["step", side === "primal" ? "column" : "row", "entries", "from", "to", "passes done"].map((name) => <th key={name} scope="col" class="n">{name}</th>)}</tr></thead>
          <tbody>{run.updates.slice(0, 60).map((update, k) => (
            <tr key={k}>{[
              k + 1, update.lines.length > 3 ? `${update.lines.length} lines` : update.lines.map((each) => count(each + 1)).join(", ") || "all",
              count(update.entries), number(update.before), number(update.after), number(update.passes, 2),
            ].map((cell, i) => <td key={String(i)} class="n">{cell}</td>)}</tr>
          ))}</tbody>
        </table></div>
      ))}
    </div>
  )
}

/** Every term and symbol with its meaning, and a step of each method. */
function Words() {
  const {catalog} = usePage()
  const methods = catalog.methods.filter(({name, update}) => update && !(name in catalog.terms)).map(({name, sentence}) => [name, sentence])
  return <dl class="glossary">{[...Object.entries(catalog.terms), ...methods].map(([name, words]) => <div key={name}><dt>{name}</dt><dd tabIndex={catalog.methods.some((each) => each.name === name && each.update) ? 0 : undefined}>{words} <Update name={name} /></dd></div>)}</dl>
}

/** @param {{label: string, value: string, values: string[], onChoose: (value: string) => void}} props */
const Select = ({label, value, values, onChoose}) => (
  <label>{label}<select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>{values.map((each) => <option key={each} value={each}>{each.replaceAll("_", " ")}</option>)}</select></label>
)

/** All choices that stand nowhere else on the page. */
function Advanced() {
  const page = usePage()
  const {catalog, choices, predicted} = page
  const [wrong, setWrong] = useState({name: "", words: ""}) // a number that was not taken, and why
  const now = choices.value
  const own = cardOf(catalog, now)?.sliders ?? []
  const others = catalog.cards.flatMap((each) => each.sliders).filter((name) => !own.includes(name)) // of other kinds of data
  const shown = [...own.slice(0, 4), ...others, "l2"]
  const samplings = catalog.samplings.filter((each) => !each.why_not).map((each) => each.name)
  const sides = /** @type {const} */ (["primal_sampling", "dual_sampling"])
  return (
    <>
      {predicted.value?.notes.map((note) => <p key={note} class="s">{note}</p>)}
      <div class="fields">
        {sides.map((name) => <Select key={name} label={`Sampling, ${name.split("_")[0]}`} value={now[name]} values={samplings} onChoose={(value) => page.choose({[name]: value})} />)}
        <Select label="How a batch is drawn" value={now.blocks} values={catalog.names.blocks} onChoose={(blocks) => page.choose({blocks})} />
        {"scale" in now && <Select label="Scale of the rows" value={now.scale} values={["mean", "unit", "none"]} onChoose={(scale) => page.choose({scale})} />}
        {catalog.sliders.filter(({name}) => !shown.includes(name)).map((slider) => (
          <label key={slider.name} title={slider.words}>{slider.label}
            <input type="number" min={slider.least} max={slider.most} step={slider.whole ? 1 : "any"} value={now[slider.name]} onChange={(event) => {
              const value = Number(event.currentTarget.value)
              const fits = event.currentTarget.value && value >= slider.least && value <= slider.most
              setWrong(fits ? {name: "", words: ""} : {name: slider.name, words: `${slider.label} must be between ${number(slider.least)} and ${number(slider.most)}; it stays ${number(now[slider.name])}.`})
              if (fits) page.choose({[slider.name]: slider.whole ? Math.round(value) : value})
              else event.currentTarget.value = String(now[slider.name])
            }} />
            {wrong.name === slider.name && <span role="alert">{wrong.words}</span>}
          </label>
        ))}
        {Object.entries(catalog.defaults).filter(([, value]) => typeof value === "boolean").map(([name]) => (
          <label key={name} class="check"><input type="checkbox" checked={now[name]} onChange={(event) => page.choose({[name]: event.currentTarget.checked})} />{name === "l2_over_n" ? "λ divided by n" : name.replaceAll("_", " ")}</label>
        ))}
        <label class="check"><input type="checkbox" checked={page.state.value.guess || page.atStep.value} disabled={page.atStep.value} onChange={(event) => page.set({guess: event.currentTarget.checked})} />guess first</label>
      </div>
    </>
  )
}
