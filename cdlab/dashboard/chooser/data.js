/* The row "Data": kinds of data as cards, and their shape as sliders. */

import {element} from "../parts/dom.js"
import {number} from "../stage/formats.js"
import {Pace} from "./ahead.js"
import {placeOf, stepped, valueAt} from "./positions.js"
import {thumbnail} from "./thumbnail.js"

const FOLLOW = 80 // ms between two values of a slider on the move
/** @type {Record<string, number>} */
const STEPS = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10}

/** @param {any} layout @param {any} tell */
export function dataRow(layout, tell) {
  const sliders = layout.sliders.map((/** @type {any} */ each) => sliderOf(each, tell))
  const cards = layout.cards.map((/** @type {any} */ card) => cardOf(card, tell))
  const [front, rest] = [cards.slice(0, layout.front), cards.slice(layout.front)]
  const more = element("details", {className: "more"}, element("summary", {textContent: "more"}),
    element("div", {className: "menu cards"}, ...rest.map((/** @type {any} */ {node}) => node)))
  more.addEventListener("click", (/** @type {MouseEvent} */ event) => { // a card has been taken
    if (/** @type {Element} */ (event.target).closest(".card")) more.open = false
  })
  const real = element("select", {className: "real"})
  real.setAttribute("aria-label", "Real data")
  real.append(element("option", {value: "", textContent: "real data"}),
    ...layout.real.map((/** @type {{name: string, beyond: string}} */ {name, beyond}) => element("option",
      {value: name, textContent: beyond ? `${name}: too large here` : name, title: beyond, disabled: Boolean(beyond)})))
  real.onchange = () => { if (real.value) tell.set({data: real.value}) }
  const file = element("input", {type: "file", id: "chooser-file", title: layout.upload.words})
  file.onchange = async () => {
    const [chosen] = file.files
    if (!chosen) return
    tell.file(chosen.name, chosen.size, chosen.size <= layout.upload.most ? await chosen.arrayBuffer() : null)
    file.value = "" // the same file can be chosen again after a repair
  }
  const upload = element("label", {className: "upload", htmlFor: file.id, title: layout.upload.words}, file, "upload")
  const facts = element("span", {className: "facts"})
  const kinds = element("div", {className: "cards"}, ...front.map((/** @type {any} */ {node}) => node))
  kinds.setAttribute("role", "group")
  kinds.setAttribute("aria-label", "Kind of data")
  const node = element("section", {className: "row data"}, element("span", {className: "name", textContent: "data"}), kinds, more, real, upload,
    element("div", {className: "sliders"}, ...sliders.map((/** @type {any} */ {node}) => node)), facts)
  node.setAttribute("role", "region")
  node.setAttribute("aria-label", "Data")

  /** @param {any} content @param {(name: string) => boolean} fresh */
  const update = (content, fresh) => {
    for (const card of cards) card.press(card.name === content.card)
    more.classList.toggle("within", rest.some((/** @type {any} */ {name}) => name === content.card))
    const known = layout.real.some((/** @type {{name: string}} */ {name}) => name === content.values.data)
    real.value = known ? content.values.data : ""
    real.classList.toggle("chosen", known)
    upload.classList.toggle("chosen", content.card === "upload")
    for (const slider of sliders) {
      slider.node.hidden = content.hidden.includes(slider.name)
      if (fresh(slider.name) && !slider.ahead()) slider.show(content.values[slider.name])
    }
    const [n, d] = content.shape
    facts.textContent = content.file || (n ? `${number(n)} examples, ${number(d)} features` : "")
    facts.title = content.file
  }
  return {node, update}
}

/** @param {any} card @param {any} tell */
function cardOf({name, title, words, picture}, tell) {
  const node = element("button", {type: "button", className: "card", title: words, onclick: () => tell.card(name)},
    thumbnail(picture), element("span", {textContent: title}))
  return {name, node, press: (/** @type {boolean} */ on) => node.setAttribute("aria-pressed", String(on))}
}

/** @param {import("./positions.js").Slider} slider @param {any} tell */
function sliderOf(slider, tell) {
  const {name, label, words} = slider, id = `chooser-${name}`
  const input = element("input", {type: "range", id, min: slider.low, max: slider.high, step: "any", title: words})
  const output = element("output", {htmlFor: id})
  let grabbed = false, value = 0
  const pace = new Pace((next) => tell.set({[name]: next}), FOLLOW)
  const say = () => {
    output.textContent = number(value, 6)
    input.setAttribute("aria-valuetext", output.textContent)
  }
  const go = (/** @type {number} */ next) => {
    if (next === value) return
    value = next
    say()
    pace.offer(value)
  }
  input.onpointerdown = () => { grabbed = true }
  input.onpointerup = input.onpointercancel = input.onblur = () => { grabbed = false }
  input.oninput = () => go(valueAt(slider, Math.round(Number(input.value) / slider.step) * slider.step))
  input.onchange = () => pace.flush()
  input.onkeydown = (/** @type {KeyboardEvent} */ event) => {
    const by = STEPS[event.key]
    if (!by) return
    event.preventDefault()
    go(stepped(slider, value, by))
    input.value = String(placeOf(slider, value))
  }
  const node = element("div", {className: "slider"}, element("label", {htmlFor: id, textContent: label}), output, input)
  const show = (/** @type {number} */ next) => {
    value = next
    say()
    if (!grabbed) input.value = String(placeOf(slider, next))
  }
  return {name, node, show, ahead: () => pace.due !== null} // what waits to be sent is ahead of the server, too
}
