/* Run, Stop, how far the race is, and what is going on. `shown` is JSON: {running, progress, status}. */

import {button, element} from "./dom.js"

export function render({model}) {
  const press = (name) => () => {
    model.send_msg({press: name})
    dispatchEvent(new Event(`cdlab-${name}`)) // see page.html
  }
  const run = button("Run", "", press("run"))
  const stop = button("Stop", "", press("stop"))
  run.className = "run"
  stop.className = "stop"
  const bar = element("progress", {max: 100})
  bar.setAttribute("aria-label", "Progress of the race")
  const words = element("div", {className: "quiet"})
  words.setAttribute("role", "status")
  words.setAttribute("aria-live", "polite")
  const box = element("div", {}, element("div", {className: "buttons"}, run, stop), bar, words)

  let lost = false // the connection
  const update = () => {
    const {running, progress, status} = JSON.parse(model.shown)
    run.disabled = lost
    stop.disabled = lost || !running
    bar.setAttribute("value", progress)
    words.textContent = lost && running ? "Stopped: the connection is lost." : status
  }
  model.on("shown", update)
  addEventListener("cdlab-lost", () => { lost = true; update() })
  update()
  return box
}
