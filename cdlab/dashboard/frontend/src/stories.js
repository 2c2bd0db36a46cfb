// Stories: where the reader is, what each step has shown, and what is done.
import {computed, signal} from "@preact/signals"
import {keyOf, storyChoices} from "./state.js"
import {leadOf} from "./curves.js"
import {count, filled, passes, times} from "./words.js"

/** @typedef {import("./schema").Outcome} Outcome */
/** @typedef {import("./schema").Prediction} Prediction */

const DONE = "cdlab.stories"
const STEPS = "abcdef"

/**
 * The numbers that sentences take from a step's race, as text: of "sdca" the passes or rounds to the target.
 * @param {Outcome} outcome @param {Prediction | null} prediction @param {"passes" | "iterations"} [axis]
 */
function numbersOf(outcome, prediction, axis = "passes") {
  /** @type {Record<string, string>} */
  const found = {lead: times(leadOf(outcome, axis).lead ?? 0), ratio: prediction?.ratio_words && !prediction.ratio ? prediction.ratio_words : times(prediction?.ratio ?? 0)}
  for (const {label, reached, iterations, last_passes, weights} of outcome.results) {
    found[label] = reached === null ? `over ${passes(last_passes)}` : passes(axis === "passes" ? reached : iterations)
    if (reached !== null) found[`${label}.passes`] = passes(reached)
    if (weights !== null) found[`${label}.weights`] = count(weights)
  }
  for (const {label, value} of prediction?.theorems ?? []) found[`${label}.bound`] = passes(value)
  return found
}

/** The stories that this browser has seen to their end. @param {Storage | null} storage @param {number} count @returns {number[]} */
function finished(storage, count) {
  return (storage?.getItem(DONE) ?? "").split(",").map(Number).filter((each) => Number.isInteger(each) && each > 0 && each <= count)
}

/** @param {any} about  what of the page the stories move; see `createPage` */
export function createStories({catalog, state, storage, set, keep, atStep, outcome, kept, replay, ghost, guesses}) {
  /** @type {import("./schema").Story[]} */
  const all = catalog.stories
  const done = signal(finished(storage, all.length))
  const seen = signal(/** @type {Record<string, Record<string, string>>} */ ({}))
  const now = computed(() => all[state.value.story - 1] ?? null)
  const next = computed(() => all.findIndex((_, k) => !done.value.includes(k + 1) && k + 1 !== state.value.story) + 1)
  const numbers = computed(() => Object.fromEntries(
    [...STEPS].map((letter, k) => [letter, seen.value[`${state.value.story}.${k + 1}`]]).filter(([, found]) => found)))

  /** At its first step a story begins anew. @param {number} story @param {number} [step] */
  function enter(story, step = 1) {
    if (step === 1) {
      kept.value = []
      const own = all[story - 1].steps.map((_, k) => keyOf(storyChoices(catalog, story, k + 1)))
      guesses.value = Object.fromEntries(Object.entries(guesses.value).filter(([key]) => !own.includes(key)))
    }
    show(story, step)
  }

  /** @param {number} story @param {number} step */
  function show(story, step) {
    replay.rest()
    ghost.value = null
    set({story, step, choices: storyChoices(catalog, story, step), slide: state.value.slide})
  }

  return {
    all, done, next, now, enter, show,
    /** The step's race has been run. */
    ran: computed(() => !!seen.value[`${state.value.story}.${state.value.step}`]),
    last: computed(() => !!now.value && state.value.step === now.value.steps.length),
    question: computed(() => now.value?.steps[state.value.step - 1].question ?? ""),
    /** Steps up to the present one whose races have not been run: an address may open a later one. */
    missing: () => Array.from({length: state.value.step}, (_, k) => k + 1).filter((step) => !seen.value[`${state.value.story}.${step}`]),
    /** What the race has shown, with the numbers of those before; "" until it has, and for other choices. */
    told: computed(() => {
      const steps = now.value?.steps.slice(0, state.value.step) ?? []
      const known = steps.length > 0 && steps.every((_, k) => numbers.value[STEPS[k]])
      return known && atStep.value && outcome.value && replay.head.value === null ? filled(steps[steps.length - 1].sentence, numbers.value) : ""
    }),
    /** @param {Outcome} outcome @param {Prediction | null} prediction @param {number} [step] */
    learn(outcome, prediction, step = state.value.step) {
      const {story} = state.value
      if (!atStep.value) return
      seen.value = {...seen.value, [`${story}.${step}`]: numbersOf(outcome, prediction, all[story - 1].axis)}
      if (step < all[story - 1].steps.length || done.value.includes(story)) return
      done.value = [...done.value, story]
      storage?.setItem(DONE, done.value.join(","))
    },
    /** Make the story's change; the race before stays in the picture. */
    change() {
      keep()
      enter(state.value.story, state.value.step + 1)
    },
    /** The step before, as it was left. */
    back() {
      const {story, step} = state.value
      if (step > 1) show(story, step - 1)
      else if (story > 1) show(story - 1, all[story - 2].steps.length)
    },
    leave: () => set({story: 0, step: 1}),
    /** @param {number} by */
    go: (by) => enter(Math.min(Math.max((state.value.story || (by > 0 ? 0 : 2)) + by, 1), all.length)),
  }
}
