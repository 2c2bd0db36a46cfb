/* Buttons that read a store again and save its runs. `said` tells how far the reading is; {filename, text} is a file. */

import {button, element, hand} from "../parts/dom.js"

/** @param {{model: any}} component */
export function render({model}) {
  const said = element("span", {className: "quiet"})
  said.setAttribute("role", "status")
  const again = button("Read again", "With the runs that a sweep has finished since", () => model.send_msg({ask: "again"}))
  const save = button("Save as CSV", "A row for each run of the store", () => model.send_msg({ask: "csv"}))
  model.on("msg:custom", (/** @type {{filename: string, text: string}} */ {filename, text}) => {
    hand(new Blob([text], {type: "text/csv"}), filename)
  })
  const update = () => { said.textContent = model.said }
  model.on("said", update)
  update()
  return element("div", {className: "line"}, again, save, said)
}
