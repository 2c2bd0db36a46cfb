// What keys do, anywhere on the page.

export const KEYS = [
  ["Space", "play or pause"], [".", "one step"], ["← →", "move the playhead"], ["G", "guess first, or not"], ["K", "keep this race"], ["R", "new draws"],
  ["N", "next story; in Present, go on"], ["B", "story before"], ["P", "Present"], ["?", "this list"],
]

/**
 * What a key does; false if nothing.
 * @param {import("./page").Page} page @param {string} key @param {() => void} showKeys
 */
export function press(page, key, showKeys) {
  const {replay, state, stories, fresh, veiled} = page
  const can = fresh.value && !veiled.value
  switch (key) {
    case " ": return can && (replay.playing.value ? replay.pause() : replay.play(), true)
    case ".": return can && (replay.step(), true)
    case "ArrowRight": return can && (replay.move(0.02), true)
    case "ArrowLeft": return can && (replay.move(-0.02), true)
    case "g": return page.set({guess: !state.value.guess}), true
    case "k": return page.keep(), true
    case "r": return page.newDraws(), true
    case "n": return state.value.slide ? walk(page) : stories.go(1), true
    case "b": return stories.go(-1), true
    case "p": return page.set({slide: state.value.slide ? "" : "picture"}), true
    case "?": return showKeys(), true
    case "Escape": return !!state.value.slide && (page.set({slide: ""}), true)
  }
  return false
}

/** Whether a control wants the key for itself. @param {KeyboardEvent} event */
export function taken(event) {
  const target = /** @type {HTMLElement} */ (event.composedPath()[0])
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true
  if (target.matches?.("input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]")) return true
  if (target.matches?.("input[type=range]") && event.key.startsWith("Arrow")) return true
  return !!target.matches?.("button, a[href], summary, [role=option]") && event.key === " "
}

/** Question, guess, race, why, change, next story. @param {import("./page").Page} page */
export function walk({state, stories, veiled, takeGuess, replay, set}) {
  const {story, step} = state.value
  if (!story) return stories.go(1)
  if (veiled.value) return takeGuess("")
  if (replay.head.value !== null) return replay.rest()
  if (state.value.slide === "picture" && stories.ran.value) return set({slide: "theorem"})
  set({slide: state.value.slide && "picture"})
  if (stories.now.value?.steps[step]) stories.change()
  else if (stories.all[story]) stories.enter(story + 1)
}
