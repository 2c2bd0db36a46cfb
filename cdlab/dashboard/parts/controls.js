/* Run, Stop, how far the race is, and what is going on. `shown` is JSON: {running, progress, status}. */

export function render({model}) {
  const button = (text, name) => {
    const made = document.createElement("button")
    made.textContent = text
    made.type = "button"
    made.className = name
    made.onclick = () => {
      model.send_msg({press: name})
      dispatchEvent(new Event(`cdlab-${name}`)) // see page.html
    }
    return made
  }
  const box = document.createElement("div")
  const run = button("Run", "run")
  const stop = button("Stop", "stop")
  const bar = document.createElement("progress")
  bar.max = 100
  bar.setAttribute("aria-label", "Progress of the race")
  const words = document.createElement("div")
  words.className = "quiet"
  words.setAttribute("role", "status")
  words.setAttribute("aria-live", "polite")
  const buttons = document.createElement("div")
  buttons.className = "buttons"
  buttons.append(run, stop)
  box.append(buttons, bar, words)

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
