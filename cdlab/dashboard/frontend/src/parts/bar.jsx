// The first line: name, stories with progress, and what concerns the whole page.
import {Roving} from "./roving.jsx"
import {SavePicture} from "./save.jsx"
import {explains} from "./term.jsx"
import {usePage} from "./page_context.js"

export function Stories() {
  const {stories, state} = usePage()
  const {story} = state.value
  return (
    <Roving label="Stories" class="dots">
      {stories.all.map(({title}, k) => {
        const done = stories.done.value.includes(k + 1)
        return (
          <button key={title} class={`dot ${done ? "done" : ""} ${story === k + 1 ? "now" : ""}`} {...explains(title)} onClick={() => stories.enter(k + 1)}
            aria-current={story === k + 1 ? "step" : undefined} aria-label={`Story ${k + 1}: ${title}${done ? ", done" : ""}`}>{k + 1}</button>
        )
      })}
    </Roving>
  )
}

function Progress() {
  const {stories, state} = usePage()
  if (state.value.story) return null
  const next = stories.next.value
  const done = stories.done.value.length
  return (
    <span class="s progress">{done} of {stories.all.length} done{next > 0 && <> · next: <button class="link" onClick={() => stories.enter(next)}>{stories.all[next - 1].title}</button></>}</span>
  )
}

/** @param {{dark: boolean, onTheme: () => void, onKeys: () => void}} props */
export function Bar({dark, onTheme, onKeys}) {
  const page = usePage()
  const share = async () => {
    try {
      await navigator.clipboard.writeText(location.href)
      const needs = [location.protocol === "file:" && "this page's file", page.choices.value.data === "upload" && `${page.choices.value.upload.split(":")[0]}, which stays on your machine`].filter(Boolean)
      page.say(needs.length ? `The address is copied. Whoever opens it needs ${needs.join(" and ")}, too.` : "The address is copied. Whoever opens it sees this race.")
    } catch {
      page.say("The browser does not let the page copy: take the address from its own bar.")
    }
  }
  return (
    <header class="top">
      <span class="logo">cdlab</span>
      <span class="s desk">Stories</span>
      <Stories />
      <Progress />
      <span class="sp" />
      <Roving label="Page" class="tools">
        {page.options.hosted?.includes("Code") && <button class="desk" onClick={() => page.set({drawer: "Code"})}>Code</button>}
        <button onClick={() => page.set({drawer: "Words"})}>Words</button>
        <button onClick={share}>Share</button>
        <SavePicture class="desk" kind="png">Save picture</SavePicture>
        <SavePicture class="desk" kind="svg">SVG</SavePicture>
        <button class="desk" onClick={() => page.set({slide: "picture"})}>Present</button>
        <button class="desk" onClick={onKeys}>Keys ?</button>
        <button onClick={onTheme}>{dark ? "Light" : "Dark"}</button>
      </Roving>
    </header>
  )
}
