// What keys do, anywhere on the page.

export const KEYS = [
  ["Space", "play or pause"], [".", "one step"], ["← →", "move the playhead; in Present, step before and next step"], ["1 2 3", "a guess: the first, about even, the second"], ["G", "guess first, or not"], ["K", "keep this race"], ["R", "new draws"],
  ["N", "next story; in Present, next step"], ["B", "story before; in Present, step before"], ["P", "Present, and back; Esc leaves it, too"], ["?", "this list"],
]

/**
 * Do what a key stands for; false if it stands for nothing here.
 * @param {import("./page").Page} page @param {string} key @param {() => void} showKeys
 */
export function press(page, key, showKeys) {
  const {replay, state, stories, fresh, veiled} = page
  /** @type {Record<string, () => void>} of what is on the picture */
  const seen = {" ": () => (replay.playing.value ? replay.pause() : replay.play()), ".": replay.step, ArrowRight: () => replay.move(0.02), ArrowLeft: () => replay.move(-0.02)}
  /** @type {Record<string, () => void>} */
  const always = {
    g: () => page.set({guess: !state.value.guess}), k: () => page.keep(), r: page.newDraws, b: () => (state.value.slide ? stepBack(page) : stories.go(-1)), "?": showKeys,
    n: () => (state.value.slide ? walk(page) : stories.go(1)), p: () => page.set({slide: state.value.slide ? "" : "picture"}),
  }
  if (state.value.slide) Object.assign(always, {Escape: () => page.set({slide: ""}), ArrowRight: () => walk(page), PageDown: () => walk(page), ArrowLeft: () => stepBack(page), PageUp: () => stepBack(page)})
  if (veiled.value) Object.assign(always, {" ": () => page.say("Guess first: 1, 2 or 3; or N just runs it."), n: () => walk(page)}, guessKeys(page))
  const action = always[key] ?? (fresh.value && !veiled.value ? seen[key] : undefined)
  action?.()
  return action !== undefined
}

/** Whether a control wants the key for itself. @param {KeyboardEvent} event */
export function taken(event) {
  const target = /** @type {HTMLElement} */ (event.composedPath()[0])
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true
  if (target.matches?.("input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]")) return true
  if (target.matches?.("input[type=range]") && event.key.startsWith("Arrow")) return true
  return !!target.matches?.("button, a[href], summary, [role=option]") && event.key === " "
}

/** The answers to the question, by their number. @param {import("./page").Page} page @returns {Record<string, () => void>} */
function guessKeys({answers, takeGuess}) {
  return Object.fromEntries(answers.value.map((each, k) => [String(k + 1), () => takeGuess(each)]))
}

/** One view back: from another slide to the first, else to the step before. @param {import("./page").Page} page */
function stepBack({state, stories, set}) {
  if (state.value.slide === "picture") stories.back()
  else set({slide: "picture"})
}

/** Question, race, change, next story. @param {import("./page").Page} page */
export function walk({state, stories, veiled, takeGuess, replay, set, say}) {
  const {story, step} = state.value
  if (!story) return stories.go(1)
  if (veiled.value) return takeGuess("")
  if (replay.head.value !== null) return replay.rest()
  set({slide: state.value.slide && "picture"})
  if (stories.now.value?.steps[step]) stories.change()
  else if (stories.all[story]) stories.enter(story + 1)
  else say("This was the last story: Esc leaves Present.")
}
