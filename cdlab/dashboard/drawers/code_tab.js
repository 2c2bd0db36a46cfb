/* A script, with buttons to copy it and to save it. */

export function render({model}) {
  const box = document.createElement("div")
  const code = document.createElement("pre")
  const told = document.createElement("span")
  const buttons = document.createElement("div")
  code.tabIndex = 0 // long lines scroll sideways, also by keyboard
  code.setAttribute("aria-label", "Python script")
  code.setAttribute("role", "region")
  told.setAttribute("role", "status")
  told.className = "quiet"
  buttons.className = "line"

  const button = (text, act) => {
    const made = document.createElement("button")
    made.type = "button"
    made.textContent = text
    made.onclick = act
    return made
  }

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
    const link = document.createElement("a")
    link.href = URL.createObjectURL(new Blob([model.text], {type: "text/x-python"}))
    link.download = model.file
    link.click()
    URL.revokeObjectURL(link.href)
    told.textContent = `Saved as ${model.file}.`
  }

  buttons.append(button("Copy", copy), button(`Save as ${model.file}`, save), told)
  box.append(buttons, code)
  const update = () => { code.textContent = model.text; told.textContent = "" }
  model.on("text", update)
  update()
  return box
}
