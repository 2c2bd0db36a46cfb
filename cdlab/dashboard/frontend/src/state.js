// One state: what is chosen and what is looked at. The address holds it, and nothing else.

import {number} from "./words.js"

/** @typedef {import("./schema").Catalog} Catalog */
/** @typedef {Record<string, any>} Choices */
/**
 * @typedef {object} State
 * @property {Choices} choices  every choice by its name
 * @property {number} story  from 1; 0: none
 * @property {number} step  of the story, from 1
 * @property {boolean} even  the even clock
 * @property {boolean} guess  guess first
 * @property {string} drawer  the open one
 * @property {string} slide  of Present, one of SLIDES; "": not presenting
 */

/** The slides of Present, by their names in the address. @type {Record<string, string>} */
export const SLIDES = {problem: "Problem", picture: "Gap", values: "P and D", matrix: "Matrix", theorem: "Theorem"}

/** @param {Catalog} catalog @returns {State} */
export const start = (catalog) => ({
  choices: {...catalog.defaults}, story: 0, step: 1, even: false, guess: false, drawer: "", slide: "",
})

/** The choices of a story's step. @param {Catalog} catalog @param {number} story @param {number} step @returns {Choices} */
export const storyChoices = (catalog, story, step) =>
  Object.assign({...catalog.defaults}, ...catalog.stories[story - 1].steps.slice(0, step).map((each) => each.choices))

/** The step of a story that has these choices. @param {Catalog} catalog @param {Choices} choices @returns {{story: number, step: number}} */
export function placeOf(catalog, choices) {
  for (const [k, {steps}] of catalog.stories.entries())
    for (const step of steps.keys())
      if (Object.entries(storyChoices(catalog, k + 1, step + 1)).every(([name, value]) => JSON.stringify(value) === JSON.stringify(choices[name]))) return {story: k + 1, step: step + 1}
  return {story: 0, step: 1}
}

/** @param {Choices} choices */
export const keyOf = (choices) => JSON.stringify(choices)

/** What the address leaves out. @param {Catalog} catalog @param {{story: number, step: number}} state */
const left = (catalog, {story, step}) => (story ? storyChoices(catalog, story, step) : catalog.defaults)

/** The state as the text of an address, without "?". @param {State} state @param {Catalog} catalog */
export function written(state, catalog) {
  const base = left(catalog, state)
  /** @type {[string, string][]} */
  const found = []
  if (state.story) found.push(["story", String(state.story)])
  if (state.story && state.step > 1) found.push(["step", String(state.step)])
  for (const [name, value] of Object.entries(state.choices))
    if (JSON.stringify(value) !== JSON.stringify(base[name])) found.push([name, text(value)])
  if (state.even) found.push(["clock", "even"])
  if (state.guess) found.push(["guess", "first"])
  if (state.drawer) found.push(["drawer", state.drawer])
  if (state.slide) found.push(["present", state.slide])
  return new URLSearchParams(found).toString().replaceAll("%2C", ",")
}

/**
 * The state that an address asks for, and a sentence for each thing that it asks in vain.
 * @param {string} query @param {Catalog} catalog @returns {{state: State, complaints: string[]}}
 */
export function read(query, catalog) {
  const asked = new URLSearchParams(query)
  const state = start(catalog)
  /** @type {string[]} */
  const complaints = []
  const complain = (/** @type {string} */ name, /** @type {string} */ why) =>
    complaints.push(`The address asks for ${cut(name)}=${cut(asked.get(name) ?? "")}, which was left out: ${why}.`)
  const story = Number(asked.get("story") ?? 0)
  if (Number.isInteger(story) && story >= 0 && story <= catalog.stories.length) state.story = story
  else complain("story", `the stories are 1 to ${catalog.stories.length}`)
  if (state.story) {
    const step = Number(asked.get("step") ?? 1)
    if (catalog.stories[state.story - 1].steps[step - 1]) state.step = step
    else complain("step", `the story has ${catalog.stories[state.story - 1].steps.length} steps`)
    state.choices = storyChoices(catalog, state.story, state.step)
  }
  for (const name of asked.keys()) {
    const value = asked.get(name) ?? ""
    if (["story", "step", "v"].includes(name)) continue // v: links of the course have it, and it says nothing
    if (name === "clock") state.even = value === "even"
    else if (name === "guess") state.guess = value === "first"
    else if (name === "drawer") state.drawer = value
    else if (name === "present") state.slide = value in SLIDES ? value : ""
    else if (!(name in catalog.defaults)) complain(name, "there is no such choice")
    else {
      const [parsed, why] = parse(value, catalog, name)
      if (why) complain(name, why)
      else state.choices[name] = parsed
    }
  }
  return {state, complaints}
}

/** @param {any} value */
const text = (value) => (typeof value === "boolean" ? (value ? "yes" : "no") : Array.isArray(value) ? value.join(",") : String(value))

/** @param {string} value @param {Catalog} catalog @param {string} name @returns {[any, string]} the value, or why not */
function parse(value, catalog, name) {
  const like = catalog.defaults[name]
  if (typeof like === "boolean") return [value === "yes", ["yes", "no"].includes(value) ? "" : "it must be yes or no"]
  if (Array.isArray(like)) {
    const list = value ? value.split(",") : []
    const stranger = list.find((each) => !catalog.methods.some((method) => method.name === each.split(/[@(]/)[0]))
    const [, drawn] = list.find((each) => each.includes("@") && !catalog.samplings.some(({name: known}) => known === each.split("@")[1]))?.split("@") ?? []
    return [list, drawn ? `there is no sampling ${cut(drawn)}` : stranger ? `there is no method ${cut(stranger)}` : list.length ? "" : "it names no method"]
  }
  const names = catalog.names[name]
  if (typeof like !== "number") return [value, !names || names.includes(value) ? "" : name === "data" ? "there are no such data here" : `it must be ${names.slice(0, -1).join(", ")} or ${names.at(-1)}`]
  const parsed = Number(value)
  if (!value.trim() || !Number.isFinite(parsed)) return [0, "it must be a number"]
  const slider = catalog.sliders.find((each) => each.name === name)
  if (slider?.whole && !Number.isInteger(parsed)) return [0, "it must be a whole number"]
  const [least, most] = catalog.ranges[name] ?? []
  if (parsed < (least ?? -Infinity)) return [0, `it must be at least ${number(least)}`]
  if (parsed > (most ?? Infinity)) return [0, `it must be at most ${number(most)}`]
  return [parsed, ""]
}

/** @param {string} long */
const cut = (long) => (long.length > 40 ? `${long.slice(0, 40)}…` : long)
