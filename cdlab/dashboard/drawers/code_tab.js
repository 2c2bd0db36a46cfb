/* A script, with buttons to copy it and to save it. */

import {button, element, hand} from "../parts/dom.js"

export function render({model}) {
  const code = element("pre", {tabIndex: 0}) // long lines scroll sideways, also by keyboard
  code.setAttribute("aria-label", "Python script")
  code.setAttribute("role", "region")
  const told = element("span", {className: "quiet"})
  told.setAttribute("role", "status")

  const select = () => {
    const range = document.createRange()
    range.selectNodeContents(code)
    const chosen = window.getSelection()
    chosen.removeAllRanges()
    chosen.addRange(range)
  }

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(model.text) // only where the page is local or encrypted
      told.textContent = "Copied."
    } catch {
      select()
      told.textContent = document.execCommand("copy") ? "Copied." : "Selected: press Ctrl-C to copy."
    }
  }

  const save = () => {
    hand(new Blob([model.text], {type: "text/x-python"}), model.file)
    told.textContent = `Saved as ${model.file}.`
  }

  const buttons = [button("Copy", "", copy), button(`Save as ${model.file}`, "", save)]
  const box = element("div", {}, element("div", {className: "line"}, ...buttons, told), code)
  const update = () => { code.textContent = model.text; told.textContent = "" }
  model.on("text", update)
  update()
  return box
}
