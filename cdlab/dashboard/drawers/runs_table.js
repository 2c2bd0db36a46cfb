/* The kept races. `content` is JSON: {races, head, longest, megabytes, note}; a race is {key, name, pinned, muted,
   shown, running, facts, rows}, the cells of its rows are HTML. What cannot be done comes back as {failed: why}. */

import {button, element, hand} from "../parts/dom.js"

const PIECE = 500000 // characters of a file that are sent at once

export function render({model}) {
  const bodies = new Map() // key -> {body, show(race)}
  const send = (message) => { said.textContent = ""; said.className = "said"; model.send_msg(message) }
  const said = element("p", {className: "said"})
  said.setAttribute("role", "status")
  const say = (text, failed) => { said.textContent = text; said.className = failed ? "said reason" : "said" }

  const header = ({key}) => {
    const name = element("input", {type: "text"})
    name.onchange = () => send({rename: key, to: name.value})
    name.setAttribute("aria-label", "Name of the run")
    const tick = (text, title, what) => {
      const box = element("input", {type: "checkbox"})
      box.onchange = () => send({[what]: key, to: box.checked})
      return [box, element("label", {title}, box, text)]
    }
    const [pin, pinned] = tick("pin", "It stays in the picture when another race is run", "pin")
    const [mute, muted] = tick("mute", "It is not drawn", "mute")
    const remove = button("Remove", "Forget this run", () => send({remove: key}))
    const csv = button("CSV", "All points of this run", () => send({save: "csv", run: key}))
    const place = element("span", {className: "quiet"})
    const facts = element("div", {className: "facts"})
    const tools = element("div", {className: "tools"}, name, pinned, muted, csv, remove, place)
    const cell = element("th", {colSpan: 6, scope: "rowgroup"}, tools, facts)
    const show = (race) => {
      if (name.getRootNode().activeElement !== name) name.value = race.name
      name.maxLength = JSON.parse(model.content).longest
      pin.checked = race.pinned
      mute.checked = race.muted
      remove.disabled = race.running
      place.textContent = race.shown ? "in the picture" : ""
      facts.replaceChildren(...Object.entries(race.facts).map(([title, value]) =>
        element("span", {}, element("b", {textContent: `${title} `}), value)))
    }
    return [element("tr", {}, cell), show]
  }

  const race = (first) => {
    const [head, showHead] = header(first)
    const body = element("tbody", {}, head)
    let held = ""
    const show = (each, anew) => {
      if (!anew && JSON.stringify(each) === held) return
      held = JSON.stringify(each)
      showHead(each)
      while (head.nextSibling) head.nextSibling.remove()
      for (const [method, ...cells] of each.rows) {
        const row = element("tr", {}, element("th", {scope: "row", innerHTML: method}))
        row.append(...cells.map((cell) => element("td", {innerHTML: cell})))
        body.append(row)
      }
    }
    return {body, show}
  }

  const table = element("table", {}, element("caption", {textContent: "The runs of this page, the latest first"}))
  const head = element("tr")
  table.append(element("thead", {}, head))
  const scroller = element("div", {className: "table", tabIndex: 0}, table)
  scroller.setAttribute("role", "region")
  scroller.setAttribute("aria-label", "The runs of this page")

  const file = element("input", {type: "file", accept: ".json,application/json"})
  file.onchange = async () => {
    const [chosen] = file.files
    if (!chosen) return
    const most = JSON.parse(model.content).megabytes
    if (chosen.size > 1e6 * most) {
      say(`${chosen.name} has ${(chosen.size / 1e6).toPrecision(3)} MB; this dashboard takes at most ${most} MB.`, true)
    } else {
      const text = await chosen.text()
      const parts = Math.max(1, Math.ceil(text.length / PIECE))
      say(`Reading ${chosen.name}.`)
      for (let part = 0; part < parts; part++) {
        model.send_msg({open: text.slice(part * PIECE, (part + 1) * PIECE), part, parts})
      }
    }
    file.value = "" // so that the same file can be chosen again
  }
  const tools = element("div", {className: "tools"},
    button("Save the session", "Choices and runs, to be opened again here or elsewhere", () => send({save: "session"})),
    button("Save all as CSV", "All points of all runs", () => send({save: "csv"})),
    element("label", {className: "file"}, "Open a session ", file))

  const update = (anew = false) => {
    const {races, head: titles, note} = JSON.parse(model.content)
    head.replaceChildren(...titles.map((text) => element("th", {scope: "col", textContent: text})))
    for (const each of races) {
      if (!bodies.has(each.key)) bodies.set(each.key, race(each))
      bodies.get(each.key).show(each, anew)
    }
    const keys = races.map((each) => each.key)
    for (const key of [...bodies.keys()]) {
      if (!keys.includes(key)) { bodies.get(key).body.remove(); bodies.delete(key) }
    }
    const inPlace = [...table.tBodies]
    keys.forEach((key, k) => { if (inPlace[k] !== bodies.get(key).body) table.append(bodies.get(key).body) })
    if (note) say(note)
  }
  model.on("content", () => update())
  model.on("msg:custom", ({said: words, failed, filename, text}) => {
    if (filename) hand(new Blob([text], {type: "text/plain"}), filename)
    else say(words ?? failed, Boolean(failed))
    if (failed) update(true) // puts back what could not be changed
  })
  update()
  const help = element("p", {textContent: "The Race tab draws the latest run and those that are pinned, but for the muted."})
  const runs = element("fieldset", {className: "form"}, help, tools, said, scroller)
  addEventListener("cdlab-lost", () => { runs.disabled = true })
  return runs
}
