/* The head of the screen: six stories, the step that one is at, and Share, Present and Dark. */

import {button, element, marked} from "../parts/dom.js"

const NEXT = ["ArrowRight", "PageDown"], BACK = ["ArrowLeft", "PageUp"] // as a presenter's remote sends them

/** @param {{model: any}} component */
export function render({model}) {
  const root = document.documentElement
  const stories = JSON.parse(model.stories).map((/** @type {any} */ {name, title}, /** @type {number} */ k) => {
    const made = button(String(k + 1), title, () => model.send_msg({enter: name}))
    made.className = "story"
    made.append(element("span", {className: "title", textContent: title}))
    made.setAttribute("aria-label", `Story ${k + 1}: ${title}`)
    return {name, made}
  })
  const said = element("span", {className: "said"})
  said.setAttribute("role", "status")
  const share = button("Share", "Copy the link to these choices", async () => {
    try {
      await navigator.clipboard.writeText(location.href)
      const file = new URLSearchParams(location.search).get("upload")
      said.textContent = file ? `The link has been copied: who opens it needs ${file.split(":")[0]}, which it does not carry.` : "The link has been copied."
    } catch {
      said.textContent = "The browser does not let the link be copied: take it from the address bar."
    }
    setTimeout(() => { said.textContent = "" }, 4000)
  })
  share.className = "share"
  const present = button("Present", "Larger, for a projector; next and back keys walk the stories, Escape ends it", () => {
    root.toggleAttribute("data-present")
    presented()
  })
  present.className = "present"
  const presented = () => present.setAttribute("aria-pressed", String(root.hasAttribute("data-present")))
  const dark = button("", "Light or dark colours", () => {
    root.dataset.bsTheme = root.dataset.bsTheme === "dark" ? "light" : "dark"
    named()
    const to = /** @type {any} */ (window).cdlabLook?.(location.href, root.dataset.bsTheme) // see page.html
    if (to) history.replaceState(history.state, "", to)
  })
  const named = () => { dark.textContent = root.dataset.bsTheme === "dark" ? "Light" : "Dark" }
  const list = element("nav", {className: "stories"}, element("span", {textContent: "Stories"}), ...stories.map((/** @type {any} */ {made}) => made))
  list.setAttribute("aria-label", "Stories")
  const strip = element("section", {className: "strip"})
  strip.setAttribute("role", "region")
  strip.setAttribute("aria-label", "Story")
  const head = element("div", {className: "head"}, element("h1", {textContent: "cdlab"}), list, said,
    element("div", {className: "tools"}, share, present, dark))

  const update = () => {
    const place = JSON.parse(model.place)
    for (const {name, made} of stories) {
      if (place?.name === name) made.setAttribute("aria-current", "step")
      else made.removeAttribute("aria-current")
    }
    strip.hidden = !place
    if (!place) return strip.replaceChildren()
    const words = element("p", {}, element("strong", {textContent: `${place.title}. `}), ...marked(place.told || place.question))
    const acts = element("div", {className: "acts"})
    if (place.step === 1) acts.append(button("Back", "The first race of the story", () => model.send_msg({enter: place.name})))
    else acts.append(button(place.button, "The story's change: then guess, and run again", () => model.send_msg({go_on: true})))
    const leave = button("Leave", "End the story", () => model.send_msg({leave: true}))
    leave.className = "leave"
    acts.append(leave)
    const parts = [words]
    if (place.variation) {
      const back = button("Back to the story", place.variation, () => model.send_msg({enter: place.name, step: place.step}))
      parts.push(element("span", {className: "variation"}, "Your variation. ", back))
    }
    const focused = strip.getRootNode().activeElement?.textContent
    strip.replaceChildren(...parts, acts)
    new ResizeObserver(() => { // what scrolls is reached by keys
      if (words.scrollHeight > words.clientHeight + 1) words.tabIndex = 0
      else words.removeAttribute("tabindex")
    }).observe(words)
    if (focused) [...strip.querySelectorAll("button")].find((each) => each.textContent === focused)?.focus()
  }
  const walk = (/** @type {KeyboardEvent} */ event) => {
    if (!root.hasAttribute("data-present") || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return
    if (event.key === "Escape") return present.click()
    const [first] = event.composedPath()
    // arrows move what has the focus; a remote's keys walk even after the guess was clicked or the playhead dragged
    const own = event.key.startsWith("Arrow") ? "input, select, textarea" : "select, textarea, input[type=search]"
    if (first instanceof Element && first.matches(own)) return
    const by = NEXT.includes(event.key) ? 1 : BACK.includes(event.key) ? -1 : 0
    if (!by) return
    event.preventDefault()
    model.send_msg({walk: by})
  }
  addEventListener("keydown", walk)
  model.on("place", update)
  model.on("remove", () => removeEventListener("keydown", walk))
  named()
  presented()
  update()
  return element("div", {className: "story-head"}, head, strip)
}
