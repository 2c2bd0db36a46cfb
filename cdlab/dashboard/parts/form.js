/* Native inputs for named values. `layout` says once what there is; `content` says what it holds, again and again.
   A changed input sends {name, value}; what the server refuses comes back as {refused: name, why}. */

import {element} from "./dom.js"

const FOLLOW = 80 // ms between two values of a slider on the move

const written = (value) => String(Number(Number(value).toPrecision(6)))

export function render({model}) {
  const inputs = new Map() // name -> {row, show(value), mark(reasons)}
  let held = {} // what the server last said

  const send = (name, value) => {
    inputs.get(name).row.querySelector(".refused").textContent = ""
    model.send_msg({name, value})
  }

  /* titled(options, make, wrap): what `make` makes of the options, those with a title inside of wrap(title) */
  const titled = (options, make, wrap) => {
    const groups = new Map()
    for (const option of options) {
      const title = option[2]
      if (!groups.has(title)) groups.set(title, title ? wrap(title) : null)
      groups.get(title)?.append(make(option))
    }
    return [...options.filter(([, , title]) => !title).map(make), ...[...groups.values()].filter(Boolean)]
  }

  const kinds = {
    select(field, id) {
      const known = new Map()
      const input = element("select", {id, onchange: () => send(field.name, known.get(input.value))})
      const option = ([text, value]) => {
        known.set(String(value), value)
        return element("option", {value: String(value), textContent: text})
      }
      const offer = (text, value) => input.append(option([text, value]))
      input.append(...titled(field.options, option, (label) => element("optgroup", {label})))
      const show = (value) => {
        if (!known.has(String(value))) offer(String(value), value)
        input.value = String(value)
      }
      const mark = (reasons) => [...input.options].forEach((each) => {
        each.classList.toggle("grey", each.value in reasons)
        each.title = reasons[each.value] ?? ""
      })
      return [[label(field, id), input, element("div", {className: "reasons"})], show, mark]
    },
    file(field, id) {
      const input = element("input", {type: "file", id})
      input.onchange = async () => {
        const [file] = input.files
        if (!file) return
        const {row} = inputs.get(field.name)
        row.querySelector(".refused").textContent = ""
        row.querySelector(".note").textContent = `Reading ${file.name}.`
        const content = file.size <= field.most ? await file.arrayBuffer() : null
        model.send_msg({name: field.name, file: file.name, size: file.size, content})
        input.value = "" // the same file can be chosen again after a repair
      }
      return [[label(field, id), input], () => {}]
    },
    number(field, id) {
      const input = element("input", {type: "number", id, step: "any", min: field.low, max: field.high})
      if (field.whole) input.step = 1
      input.onchange = () => send(field.name, input.value === "" ? null : Number(input.value))
      return [[label(field, id), input], (value) => { input.value = value }]
    },
    slider(field, id) {
      const input = element("input", {type: "range", id, min: field.low, max: field.high, step: field.step})
      const value = () => Number((field.log ? 10 ** input.value : Number(input.value)).toPrecision(2))
      const output = element("output", {htmlFor: id})
      const say = () => { output.textContent = written(value()) }
      input.setAttribute("aria-label", field.label)
      let grabbed = false, due = null
      const tell = () => {
        clearTimeout(due)
        due = null
        send(field.name, value())
      }
      input.onpointerdown = () => { grabbed = true }
      input.onpointerup = input.onpointercancel = input.onblur = () => { grabbed = false }
      input.oninput = () => {
        say()
        input.setAttribute("aria-valuetext", output.textContent)
        if (field.live) due ??= setTimeout(tell, FOLLOW)
      }
      input.onchange = tell
      const show = (value) => {
        if (grabbed) return // an answer to where it was a moment ago
        input.value = field.log ? Math.log10(value) : value
        output.textContent = written(value)
        input.setAttribute("aria-valuetext", output.textContent)
      }
      return [[label(field, id), output, input], show]
    },
    check(field, id) {
      const input = element("input", {type: "checkbox", id, onchange: () => send(field.name, input.checked)})
      return [[element("span", {className: "one"}, input, label(field, id))], (value) => { input.checked = value }]
    },
    several(field) {
      const boxes = [], labels = []
      const option = ([text, value, , title]) => {
        const box = element("input", {type: "checkbox", value})
        box.onchange = () => send(field.name, field.options.map(([, each]) => each).filter(ticked))
        boxes.push(box)
        labels.push(element("label", {title}, box, " ", text))
        return labels.at(-1)
      }
      const ticked = (value) => boxes.find((box) => box.value === value).checked
      const grouped = (name, ...children) => {
        const made = element("div", {className: "boxes"}, ...children)
        made.setAttribute("role", "group")
        made.setAttribute("aria-label", name)
        return made
      }
      const wrap = (title) => grouped(title, element("span", {className: "title", textContent: title}))
      const parts = titled(field.options, option, wrap)
      const group = field.options.some(([, , title]) => title) ? element("div", {}, ...parts) : grouped(field.label, ...parts)
      const show = (chosen) => boxes.forEach((box) => { box.checked = chosen.includes(box.value) })
      const mark = (reasons) => boxes.forEach((box, k) => {
        labels[k].classList.toggle("grey", box.value in reasons)
        labels[k].title = [field.options[k][3], reasons[box.value]].filter(Boolean).join(" ")
      })
      return [[group, element("div", {className: "reasons"})], show, mark]
    },
  }

  const label = (field, id) => element("label", {htmlFor: id, textContent: field.label, title: field.doc})

  const build = (field) => {
    const [parts, show, mark] = kinds[field.kind](field, `${model.id}-${field.name}`)
    const row = element("div", {className: `field ${field.kind} ${field.wide ? "wide" : ""}`}, ...parts)
    const refused = element("div", {className: "refused reason"})
    refused.setAttribute("role", "alert")
    const note = element("div", {className: "note"})
    note.setAttribute("role", "note")
    row.append(note, refused)
    inputs.set(field.name, {row, show, mark})
    return row
  }

  /* why chosen entries cannot be used; on request, why the others could not be chosen */
  const explain = (row, reasons, chosen) => {
    const told = Object.keys(reasons).filter((name) => [].concat(chosen).includes(name))
    const others = Object.keys(reasons).filter((name) => !told.includes(name))
    const lines = told.map((name) => element("p", {className: "reason", textContent: reasons[name]}))
    if (others.length) {
      const list = element("ul", {}, ...others.map((name) => element("li", {textContent: reasons[name]})))
      lines.push(element("details", {}, element("summary", {textContent: "Why some do not fit"}), list))
    }
    row.querySelector(".reasons").replaceChildren(...lines)
  }

  const update = () => {
    const {values, hidden, reasons, notes} = JSON.parse(model.content)
    for (const [name, {row, show, mark}] of inputs) {
      // only what the server changed: another input may hold what is still on its way there
      if (JSON.stringify(values[name]) !== JSON.stringify(held[name])) {
        show(values[name])
        row.querySelector(".refused").textContent = ""
      }
      row.hidden = hidden.includes(name)
      row.querySelector(".note").textContent = notes[name] ?? ""
      if (mark) {
        mark(reasons[name] ?? {})
        explain(row, reasons[name] ?? {}, values[name])
      }
    }
    held = values
  }

  const sections = JSON.parse(model.layout)
  const form = element("fieldset", {className: "form"})
  addEventListener("cdlab-lost", () => { form.disabled = true })
  for (const {title, fields} of sections) {
    if (title) form.append(element("h2", {textContent: title}))
    form.append(element("div", {className: "fields"}, ...fields.map(build)))
  }
  const help = sections.flatMap(({fields}) => fields).filter((field) => field.doc)
  if (help.length) {
    const words = help.flatMap(({label, doc}) => [element("dt", {textContent: label}), element("dd", {textContent: doc})])
    const summary = element("summary", {textContent: "What these choices mean"})
    form.append(element("details", {}, summary, element("dl", {}, ...words)))
  }
  model.on("content", update)
  model.on("msg:custom", ({refused, why}) => {
    const {row, show} = inputs.get(refused)
    show(held[refused])
    row.querySelector(".note").textContent = JSON.parse(model.content).notes[refused] ?? ""
    row.querySelector(".refused").textContent = why
  })
  update()
  return form
}
