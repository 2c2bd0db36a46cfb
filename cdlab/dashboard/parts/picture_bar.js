/* Axes, switches for curves and bounds, and buttons to save the picture. `content` is JSON: {axes, curves, pinned};
   an axis is {name, label, value, options: [[words, value, reason]]}, a curve {label, colour, dash, drawn, bound,
   unseen}, where bound is null if there is none, and unseen says why it cannot be seen. */

import {button, drawing, element, group, hand} from "./dom.js"

export function render({model}) {
  const axes = element("div", {className: "axes"})
  const switches = element("div", {className: "switches"})
  const why = element("div", {className: "quiet"})
  let held = ""

  const axis = ({name, label, value, options}) => {
    const id = `${model.id}-${name}`
    const input = element("select", {id, onchange: () => model.send_msg({axis: name, value: input.value})})
    for (const [words, option, reason] of options) {
      input.append(element("option", {value: option, textContent: words, disabled: Boolean(reason), title: reason}))
    }
    input.value = value
    return element("div", {}, element("label", {htmlFor: id, textContent: label}), input)
  }

  const boxes = (title, name, curves, on) => group(title, ...curves.map((curve) => {
    const unseen = name === "unbounded" ? curve.unseen : ""
    const box = element("input", {type: "checkbox", checked: on(curve) && !unseen, disabled: Boolean(unseen)})
    box.onchange = () => model.send_msg({switch: name, label: curve.label, on: !box.checked})
    const line = name === "unbounded" ? {"stroke-width": 1, "stroke-dasharray": "4 3"} : {"stroke-width": 3, "stroke-dasharray": curve.dash.join(" ")}
    const swatch = drawing("svg", {class: "swatch", viewBox: "0 0 28 6", width: 28, height: 6, "aria-hidden": "true"},
      drawing("path", {d: "M0 3H28", stroke: curve.colour, ...line}))
    return element("label", {className: unseen ? "off" : "", title: unseen}, box, swatch, curve.label)
  }))

  const update = () => {
    if (model.content === held) return
    held = model.content
    const focused = switches.getRootNode().activeElement
    const place = [...switches.querySelectorAll("input")].indexOf(focused)
    const asked = axes.contains(focused) ? focused.id : null
    const {axes: all, curves, pinned} = JSON.parse(held)
    stay.checked = pinned
    axes.replaceChildren(...all.map(axis))
    const bounded = curves.filter((curve) => curve.bound !== null)
    switches.replaceChildren(boxes("Curves", "muted", curves, (curve) => curve.drawn))
    if (bounded.length) switches.append(boxes("Bounds", "unbounded", bounded, (curve) => curve.bound))
    if (place >= 0) switches.querySelectorAll("input")[place]?.focus() // the keyboard stays where it was
    if (asked) axes.querySelector(`[id="${asked}"]`)?.focus()
    const reasons = all.flatMap(({options}) => options.filter(([, , reason]) => reason))
    why.replaceChildren(...reasons.map(([words, , reason]) => element("p", {textContent: `No ${words}: ${reason}.`})))
  }

  const stay = element("input", {type: "checkbox"})
  stay.onchange = () => model.send_msg({pin: stay.checked})
  const compare = group("Compare", element("label", {}, stay, "keep this race in the picture when another is run"))

  const picture = async (type) => {
    const roots = Bokeh.documents.flatMap((doc) => doc.roots())
    const figure = roots.flatMap((root) => [...root.references()]).find((each) => each.name === model.figure)
    hand(await Bokeh.index.find_one(figure).export(type).to_blob(), `race.${type}`)
  }
  const save = group("Save",
    button("PNG", "The picture as pixels", () => picture("png")),
    button("SVG", "The picture as lines, for print", () => picture("svg")),
    button("CSV", "All points of these runs, none left out", () => model.send_msg({save: "csv"})))

  model.on("content", update)
  model.on("msg:custom", ({filename, text}) => hand(new Blob([text], {type: "text/plain"}), filename))
  update()
  const bar = element("fieldset", {className: "form bar"}, axes, switches, compare, why, save)
  addEventListener("cdlab-lost", () => { bar.disabled = true })
  return bar
}
