/* The choices: three rows, a message, and the bar with Run. `layout` says once what there is; `content` what is chosen,
   again and again; `shown` how far the race is; `bars` the probabilities of the samplings. */

import {element} from "../parts/dom.js"
import {Ahead} from "./ahead.js"
import {algorithmRow} from "./algorithm.js"
import {dataRow} from "./data.js"
import {messageLine} from "./message.js"
import {runBar} from "./run_bar.js"
import {samplingRow} from "./sampling.js"

const ROOM = 330 // pixels that a message needs

/** @param {{model: any}} component */
export function render({model}) {
  const layout = JSON.parse(model.layout), ahead = new Ahead()
  const tell = {
    set: (/** @type {Record<string, any>} */ values) =>
      model.send_msg({set: values, versions: ahead.send(Object.keys(values))}),
    card: (/** @type {string} */ card) => model.send_msg({card}),
    guess: (/** @type {string} */ guess) => model.send_msg({guess}),
    press: (/** @type {string} */ name) => model.send_msg({press: name}),
    undo: () => model.send_msg({undo: true}),
    file: (/** @type {string} */ file, /** @type {number} */ size, /** @type {ArrayBuffer | null} */ content) =>
      model.send_msg({file, size, content}),
  }
  const data = dataRow(layout, tell), sampling = samplingRow(layout, tell), algorithm = algorithmRow(layout, tell)
  const run = runBar(layout, tell), message = messageLine(tell)
  const last = element("div", {className: "last"}, algorithm.node, run.node)
  const node = element("fieldset", {className: "chooser"}, data.node, sampling.node, last, message.node)

  const update = () => {
    const content = JSON.parse(model.content)
    const fresh = (/** @type {string} */ name) => ahead.answered(name, content.heard)
    for (const part of [data, sampling, algorithm]) part.update(content, fresh)
    run.update(content)
    message.update(content)
    place()
  }
  /** Beside the samplings there is room: over what is below it would cover headings. */
  const place = () => {
    const row = sampling.node, {style, classList} = message.node
    const end = Math.max(...[...row.children].map(({offsetLeft, offsetWidth}) => offsetLeft + offsetWidth))
    const beside = row.offsetHeight > 0 && row.clientWidth - end > ROOM
    classList.toggle("beside", beside)
    style.top = beside ? `${row.offsetTop + row.offsetHeight / 2}px` : ""
    style.left = beside ? `${end + 16}px` : ""
  }
  new ResizeObserver(place).observe(node)
  const show = () => run.show(JSON.parse(model.shown))
  const draw = () => sampling.draw(JSON.parse(model.bars))
  model.on("content", update)
  model.on("shown", show)
  model.on("bars", draw)
  model.on("msg:custom", (/** @type {{refused: string, follows: boolean}} */ {refused, follows}) => {
    message.refuse(refused, follows)
    place()
  })
  addEventListener("cdlab-lost", () => {
    node.disabled = true
    run.lose()
    show()
  })
  // a menu closes when the person goes elsewhere
  const close = (/** @type {(menu: HTMLDetailsElement) => boolean} */ stays) => {
    for (const menu of node.querySelectorAll("details[open]")) menu.open = stays(menu)
  }
  const away = (/** @type {PointerEvent} */ event) => close((menu) => event.composedPath().includes(menu))
  addEventListener("pointerdown", away)
  model.on("remove", () => removeEventListener("pointerdown", away))
  node.addEventListener("focusout", (/** @type {FocusEvent} */ event) => {
    const to = /** @type {Node | null} */ (event.relatedTarget)
    if (to) close((menu) => menu.contains(to))
  })
  node.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const menu = event.key === "Escape" && /** @type {Element} */ (event.target).closest("details[open]")
    if (!menu) return
    /** @type {any} */ (menu).open = false
    menu.querySelector("summary")?.focus()
    event.preventDefault() // nothing else is left by it
  })
  update()
  show()
  draw()
  return node
}
