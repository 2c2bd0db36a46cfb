// The page in an element: `mount(element, engine)`; and as a Panel component, `render`.
import {render as draw} from "preact"
import {useEffect, useRef, useState} from "preact/hooks"
import {asker} from "./asking.js"
import {createPage} from "./page.js"
import {panelEngine} from "./engines/panel.js"
import {standingEngine} from "./static_page.js"
import {Bar} from "./parts/bar.jsx"
import {Choices} from "./parts/choices.jsx"
import {Drawer} from "./parts/drawer.jsx"
import {FaceOff} from "./parts/faceoff.jsx"
import {Figure} from "./parts/figure.jsx"
import {Foot} from "./parts/foot.jsx"
import {Headline, Sides, StoryTitle, StoryTools} from "./parts/headline.jsx"
import {KeyList, useKeys} from "./parts/keys.jsx"
import {MatrixPart} from "./parts/matrix.jsx"
import {PhoneBar} from "./parts/phone.jsx"
import {Player} from "./parts/player.jsx"
import {Present} from "./parts/present.jsx"
import {Theorems} from "./parts/theorem.jsx"
import {Tip} from "./parts/term.jsx"
import {Voice} from "./parts/voice.jsx"
import {dark, PageContext, PHONE, scrollToTop, useMedia, usePage} from "./parts/page_context.js"
import styles from "./styles/page.css"

export {recordedEngine} from "./engines/recorded.js"
export {workerEngine} from "./engines/worker.js"
export {panelEngine}

/**
 * Show the page.
 * @param {HTMLElement} element @param {import("./asking").Engine} engine @param {import("./page").Options} [options]
 * @returns {Promise<() => void>} what takes it away again
 */
export async function mount(element, engine, options = {}) {
  const style = document.createElement("style")
  style.textContent = styles
  const root = document.createElement("div")
  root.className = "cdlab"
  root.innerHTML = '<p class="first" role="status">cdlab · one moment …</p>'
  element.replaceChildren(style, root)
  const answer = await asker(engine).ask("catalog")
  if (answer.error || !answer.value) {
    root.innerHTML = '<p class="first" role="alert"></p>'
    root.firstElementChild?.append(answer.error || "The engine has not said what it offers.")
    return () => element.replaceChildren()
  }
  const page = createPage(engine, /** @type {import("./schema").Catalog} */ (answer.value), {query: location.search.slice(1), storage: storage(), onChange: toAddress, ...options})
  options.onPage?.(page)
  root.replaceChildren()
  const back = (/** @type {PopStateEvent} */ {state}) => typeof state?.query === "string" && page.arrive(state.query)
  addEventListener("popstate", back)
  draw(<PageContext.Provider value={page}><Screen /></PageContext.Provider>, root)
  return () => {
    removeEventListener("popstate", back)
    page.leave()
    draw(null, root)
    element.replaceChildren()
  }
}

let view = "" // what the last change of the address was a view of

/**
 * A step of a story, a slide and a drawer are views of their own, to which the browser goes back.
 * @param {string} query @param {import("./state").State} state
 */
function toAddress(query, {story, step, slide, drawer}) {
  const before = view
  view = [story, step, slide, drawer].join()
  const same = !before || view === before || history.state?.query === query
  try {
    history[same ? "replaceState" : "pushState"]({...history.state, query}, "", query ? `?${query}` : location.pathname)
  } catch {
    // a page from a disk may not change its address
  }
}

/** What the browser keeps; null where it keeps nothing. */
function storage() {
  try {
    return localStorage
  } catch {
    return null
  }
}

/** Of what is about other choices. @param {string} how */
const dim = (how) => ({class: `dim ${how}`, role: /** @type {const} */ ("group"), "aria-disabled": how === "stale"})

function Screen() {
  const page = usePage()
  const phone = useMedia(PHONE)
  const system = useMedia("(prefers-color-scheme: dark)")
  const [keys, setKeys] = useState(false)
  const chosen = page.options.storage?.getItem("cdlab.theme")
  useEffect(() => {
    dark.value = chosen ? chosen === "dark" : system
  }, [system])
  const slide = !phone && page.state.value.slide
  useKeys(page, () => setKeys(true))
  const {story, step} = page.state.value
  const screen = useRef(/** @type {HTMLDivElement | null} */ (null))
  const place = `${story}.${step}`
  const before = useRef(place)
  useEffect(() => {
    if (phone && story && before.current !== place) scrollToTop(screen.current?.querySelector(".story"))
    before.current = place
  }, [place])
  const theme = () => {
    dark.value = !dark.value
    page.options.storage?.setItem("cdlab.theme", dark.value ? "dark" : "light")
  }
  const stale = !page.veiled.value && !page.fresh.value && !page.dragging.value ? "stale" : page.fresh.value || page.veiled.value ? "" : "fading"
  const known = page.predicted.value ? "" : "stale"
  const middle = <div class="middle"><Voice /><div {...dim(stale)}><Figure /></div>{!phone && <Player />}</div>
  const left = <div id="matrix" {...dim(known)}><MatrixPart /></div>
  const right = <div {...dim(known)}><Theorems /><FaceOff /></div>
  return (
    <div ref={screen} class={`screen ${dark.value ? "dark" : ""} ${slide ? "presenting" : ""}`}>
      {slide ? <Present /> : phone ? (
        <>
          <Bar dark={dark.value} onTheme={theme} onKeys={() => setKeys(true)} />
          {page.state.value.story ? <section class="story" aria-label="Story"><StoryTitle />{page.state.value.story === 1 && <Sides />}</section> : <Headline />}
          <main class="stage">{middle}{page.state.value.story > 0 && <div class="story"><StoryTools /></div>}{left}{right}</main>
          <section class="change" aria-label="Change something"><h2>Change something</h2><Choices /></section>
          <Foot /><Drawer /><PhoneBar />
        </>
      ) : (
        <>
          <div class="desktop">
            <Bar dark={dark.value} onTheme={theme} onKeys={() => setKeys(true)} />
            <Headline /><Choices />
            <main class="stage">{left}{middle}{right}</main>
            <Foot />
          </div>
          <Drawer />
        </>
      )}
      <KeyList open={keys} onClose={() => setKeys(false)} />
      <Tip />
    </div>
  )
}

const PART = 8e6 // bytes of a file in one message: servers take about 20 MB, in base64

/**
 * As a Panel JSComponent, see "What a host does" in the README. Answers come as JSON.
 * @param {{model: any, el: HTMLElement}} about
 */
export function render({model, el}) {
  const box = document.createElement("div")
  const shelf = document.createElement("div") // Panel draws a child only where it has been put
  shelf.hidden = true
  const drawer = model.get_child("drawer")
  if (drawer) shelf.append(drawer)
  const wire = {
    send_msg: (/** @type {any} */ message) => {
      if (message.kind !== "file") return model.send_msg(message)
      const size = message.bytes.byteLength
      for (let at = 0; at === 0 || at < size; at += PART)
        model.send_msg({...message, bytes: message.bytes.slice(at, at + PART), last: at + PART >= size})
    },
    on: (/** @type {string} */ name, /** @type {(message: any) => void} */ heard) =>
      model.on(name, (/** @type {string} */ text) => heard(JSON.parse(text))),
  }
  const options = {
    ...(model.hosted.length > 0 && {hosted: model.hosted, drawer: () => drawer}),
    query: model.query,
    notebooks: model.notebooks,
    onChange: (/** @type {string} */ query, /** @type {import("./state").State} */ state) => {
      toAddress(query, state)
      model.send_msg({kind: "state", choices: state.choices, drawer: state.drawer})
    },
    onPage: (/** @type {import("./page").Page} */ page) =>
      wire.on("msg:custom", ({kind, value}) => {
        if (kind === "words") page.say(value)
        if (kind === "choices") page.take(value)
        if (kind === "drawer") page.hosted.value = value
      }),
  }
  void mount(box, panelEngine(wire), options)
  el.append(box, shelf)
}

export default {render}

// of a certificate and its data, for pages of others
export {check} from "../checker/checking.js"

// a page that stands alone says where it is to be shown
const place = globalThis.document?.getElementById("cdlab-page")
if (place) void mount(place, standingEngine(), {notebooks: place.dataset.notebooks})
