/* The guess, Run (Stop while a race goes on) with its progress, and Step: they never leave the view. */

import {button, element} from "../parts/dom.js"
import {term} from "../parts/explain.js"

/** @param {any} layout @param {any} tell */
export function runBar(layout, tell) {
  let running = false, lost = false // the connection
  const run = button("Run", "", () => {
    tell.press(running ? "stop" : "run")
    dispatchEvent(new Event(`cdlab-${running ? "stop" : "run"}`)) // see page.html
  })
  run.className = "run"
  const step = button("Step", "One update at a time", () => tell.press("step"))
  step.className = "step"
  const progress = element("progress", {max: 100})
  progress.setAttribute("aria-label", "Progress of the race")
  const words = element("span", {className: "status"})
  words.setAttribute("role", "status")
  const guesses = layout.guesses.map((/** @type {string} */ name) => {
    const input = element("input", {type: "radio", name: "chooser-guess", value: name, onchange: () => tell.guess(name)})
    return {name, input, node: element("label", {className: `chip ${name}`}, input, element("span", {textContent: name}))}
  })
  const group = element("div", {className: "chips guess"}, ...guesses.map((/** @type {any} */ {node}) => node))
  group.setAttribute("role", "radiogroup")
  group.setAttribute("aria-label", "Your guess: who wins?")
  const node = element("section", {className: "run-bar"}, term("your guess", layout.terms.guess), group,
    element("div", {className: "buttons"}, run, step))
  node.prepend(element("div", {className: "going"}, progress, words))
  node.setAttribute("role", "group")
  node.setAttribute("aria-label", "Run")

  /** @param {{running: boolean, progress: number, status: string}} shown */
  const show = (shown) => {
    running = shown.running && !lost
    run.textContent = running ? "Stop" : "Run"
    run.classList.toggle("stop", running)
    run.disabled = step.disabled = lost
    progress.value = shown.progress
    progress.hidden = !running
    words.textContent = lost && shown.running ? "Stopped: the connection is lost." : shown.status
    words.title = words.textContent
  }
  /** @param {any} content */
  const update = ({guess}) => { for (const {name, input} of guesses) input.checked = name === guess }
  const lose = () => { lost = true }
  return {node, show, update, lose}
}
