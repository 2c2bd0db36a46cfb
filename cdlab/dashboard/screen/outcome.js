/* What came of the race, in words; an error; the advice; and whether earlier races stay in the picture. */

import {button, element} from "../parts/dom.js"
import {explained} from "../parts/explain.js"
import {GAPS, PASSES} from "../parts/terms.js"

/** @param {{model: any}} component */
export function render({model}) {
  const words = element("p", {className: "words"})
  words.setAttribute("role", "status")
  const because = element("p", {})
  const why = element("details", {className: "why"}, element("summary", {textContent: "why they can differ"}), because)
  const failed = element("span", {})
  failed.setAttribute("role", "alert")
  const close = button("×", "", () => model.send_msg({close: true}))
  close.setAttribute("aria-label", "Close")
  const error = element("div", {className: "error"}, failed, close)
  const advice = element("span", {})
  const take = button("Try it", "Let this method run, with this sampling", () => model.send_msg({take: true}))
  const advised = element("div", {className: "advice"}, advice, take)
  const check = element("input", {type: "checkbox", onchange: () => model.send_msg({comparing: check.checked})})
  const compare = element("label", {className: "compare", title: "The curves of earlier races stay in the picture, paler"}, check, "compare with earlier races")
  const node = element("section", {className: "outcome"}, element("div", {className: "said"}, words, why),
    element("div", {className: "beside"}, advised, compare), error)
  node.setAttribute("role", "region")
  node.setAttribute("aria-label", "Outcome")

  const update = () => {
    const content = JSON.parse(model.content)
    if (content.held && !node.style.minHeight) node.style.minHeight = `${node.offsetHeight}px` // nothing jumps
    if (!content.held) node.style.minHeight = ""
    if (words.textContent !== content.words) words.replaceChildren(...explained(content.words, {...GAPS, ...PASSES}))
    node.classList.toggle("old", content.old)
    because.textContent = content.why
    why.hidden = !content.why
    if (failed.textContent !== content.error) failed.textContent = content.error
    error.hidden = !content.error
    advice.textContent = content.advice
    advised.hidden = !content.advice
    take.hidden = content.taken
    check.checked = content.comparing
  }
  model.on("content", update)
  update()
  return node
}
