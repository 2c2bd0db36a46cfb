// The page without its looks: what is chosen, what the engine has answered, and what happens when either changes.
import {batch, computed, effect, signal, untracked} from "@preact/signals"
import {asker} from "./asking.js"
import {endOf, labelsOf, seriesOf, leadOf} from "./curves.js"
import {createReplay} from "./replay.js"
import {keyOf, placeOf, read, start, storyChoices, written} from "./state.js"
import {createStories} from "./stories.js"
import {dataWords, difference, entryParts, methodOf} from "./words.js"

/** @typedef {import("./schema").Catalog} Catalog */
/** @typedef {import("./schema").Prediction} Prediction */
/** @typedef {import("./schema").RaceEvent} RaceEvent */
/** @typedef {import("./schema").RunData} RunData */
/** @typedef {import("./schema").Outcome} Outcome */
/** @typedef {import("./schema").Explanation} Explanation */
/** @typedef {import("./schema").Advice} Advice */
/** @typedef {import("./schema").Rates} Rates */
/** @typedef {import("./state").State} State */
/** @typedef {import("./state").Choices} Choices */
/**
 * @typedef {object} RaceSeen
 * @property {string} key  the choices that it was asked for
 * @property {Choices} choices
 * @property {string} digest
 * @property {RunData[]} runs
 * @property {Outcome | null} outcome
 * @property {number} draws
 * @property {boolean} running
 * @property {string} error
 */
/** @typedef {{id: number, name: string, choices: Choices, race: RaceSeen, ratio: number | null}} Kept */
/**
 * @typedef {object} Options
 * @property {string} [query]  the address's query; that of the page
 * @property {(query: string, state: State) => void} [onChange]  told of every change of the state, of sliders at rest
 * @property {(page: Page) => void} [onPage]  given the page before it is drawn
 * @property {string[]} [hosted]  names of the drawers that the host shows
 * @property {() => HTMLElement | null} [drawer]  what the host shows in an open drawer, instead of facts
 * @property {string} [notebooks]  where the course's notebooks are pages: the address that their names follow
 * @property {Storage | null} [storage]
 */

const REST = 300 // milliseconds without a change after which a slider counts as let go
const PACE = 100 // between two drafts while a slider moves
const SLOW = 400 // a draft that took longer is not run again while it moves
const MOST_COMPLAINTS = 5 // that are read
const PAST = 8 // finished races that are not run again
const PATIENCE = 1 // seconds that a race may take without being asked for

/** @param {import("./asking").Engine} engine @param {Catalog} catalog @param {Options} options */
export function createPage(engine, catalog, options) {
  const {ask, stop} = asker(engine)
  const storage = options.storage ?? null
  const query = options.query ?? ""
  const first = read(query, catalog)
  if (!query && storage && !storage.getItem("cdlab.visited") && catalog.stories.length)
    first.state = {...start(catalog), story: 1, choices: storyChoices(catalog, 1, 1)}
  storage?.setItem("cdlab.visited", "yes")

  const state = signal(first.state)
  const prediction = signal(/** @type {(Prediction & {key: string}) | null} */ (null))
  const race = signal(/** @type {RaceSeen | null} */ (null))
  const ghost = signal(/** @type {RaceSeen | null} */ (null))
  const explanation = signal(/** @type {(Explanation & {key: string}) | null} */ (null))
  const advice = signal(/** @type {(Advice & {key: string}) | null} */ (null))
  const rates = signal(/** @type {(Rates & {key: string}) | null} */ (null))
  const kept = signal(/** @type {Kept[]} */ ([]))
  const guesses = signal(/** @type {Record<string, string>} */ ({})) // of choices by their key: a label, "even", or "" for just running
  const tried = signal({key: "", label: ""}) // advice that was run
  const dragging = signal(false)
  const racing = signal(/** @type {{words: string, progress: number, began: number} | null} */ (null))
  const waiting = signal("") // the key of choices that the engine has not yet predicted
  const failure = signal("")
  // about a reader's file, until it is dismissed; upload: "" of one that was refused, and of an address in vain, until the next choice
  const nothing = {words: "", upload: "", file: /** @type {File | null} */ (null), columns: /** @type {string[]} */ ([]), label: /** @type {number | null} */ (null)}
  const standing = signal({...nothing, words: first.complaints.slice(0, MOST_COMPLAINTS).join(" ")})
  const hosted = signal("") // the drawer that the host shows now
  const notice = signal("")

  const choices = computed(() => state.value.choices)
  const key = computed(() => keyOf(choices.value))
  const story = computed(() => (state.value.story ? catalog.stories[state.value.story - 1] : null))
  const axis = computed(() => story.value?.axis ?? "passes")
  const target = computed(() => choices.value.tol || 1e-6)
  const atStep = computed(() => {
    const {story: number, step} = state.value
    return number > 0 && keyOf(storyChoices(catalog, number, step)) === key.value
  })
  const guess = computed(() => guesses.value[key.value])
  const veiled = computed(() => (state.value.guess || atStep.value) && guess.value === undefined)
  const predicted = computed(() => (prediction.value?.key === key.value ? prediction.value : null))
  /** The race is about the present choices: the only way to be drawn at full strength. */
  const fresh = computed(() => {
    const seen = race.value
    return !!seen && seen.key === key.value && (!predicted.value || seen.digest === predicted.value.digest) && !seen.error
  })
  const series = computed(() => (race.value && !race.value.error ? seriesOf(race.value, axis.value) : []))
  const refused = computed(() => {
    const refusals = predicted.value?.refusals ?? []
    const methods = refusals.filter(({what}) => choices.value.methods.some((/** @type {string} */ each) => what === each))
    return refusals.find(({what}) => ["data", "file", "target"].includes(what)) ??
      (methods.length && methods.length >= choices.value.methods.length ? methods[0] : null)
  })
  /** What is said of a reader's file: of one that races, while it does. */
  const fileRead = computed(() => {
    const {words, upload} = standing.value
    return words && (!upload || (choices.value.data === "upload" && choices.value.upload === upload)) ? standing.value : null
  })
  const outcome = computed(() => (fresh.value && !veiled.value ? (race.value?.outcome ?? null) : null))
  /** One entry of each side, or else the first two: what is compared before a race. */
  const sides = computed(() => {
    const labels = (predicted.value ?? prediction.value)?.theorems.map(({label}) => label) ?? []
    const [primal, dual] = ["primal", "dual"].map((side) => labels.find((label) => sideOf(label) === side))
    return primal && dual ? [primal, dual] : labels.slice(0, 2)
  })
  /** The two entries that the ruler compares: after a race the first and whom its lead is over. */
  const pair = computed(() => {
    const {first, loser} = outcome.value ? leadOf(outcome.value, axis.value) : {}
    const labels = (predicted.value ?? prediction.value)?.theorems.map(({label}) => label) ?? []
    const found = first && loser ? labels.filter((label) => [first, loser].includes(label)) : []
    return found.length === 2 && String(found) !== String([...sides.value].reverse()) ? found : sides.value
  })
  /** The bounds of the pair in words, or why they are not compared; "" where the engine has no words for the pair. */
  const ratioWords = computed(() => (String(pair.value) === String(sides.value) ? ((predicted.value ?? prediction.value)?.ratio_words ?? "") : ""))
  /** What the bounds say of the pair: above 1 the second is ahead. */
  const ratio = computed(() => {
    const known = predicted.value ?? prediction.value
    const [one, other] = pair.value.map((label) => known?.theorems.find((each) => each.label === label && each.curve)?.value)
    if (!one || !other) return null
    const [first, second] = [inUnit(pair.value[0], one), inUnit(pair.value[1], other)]
    return first && second ? first / second : null
  })
  const why = computed(() => (outcome.value && explanation.value?.digest === race.value?.digest ? explanation.value : null))
  const advised = computed(() => (!veiled.value && advice.value?.key === key.value ? advice.value : null))
  const rated = computed(() => (!veiled.value && rates.value?.key === key.value ? rates.value : null))
  /** What a reader may guess, in the order of the buttons. */
  const answers = computed(() => {
    const runs = predicted.value?.theorems.map((each) => each.label) ?? []
    const all = /** @type {string[]} */ (runs.length === choices.value.methods.length ? runs : choices.value.methods) // also those that cannot run
    return all.flatMap((each, k) => (k === 1 ? ["even", each] : [each]))
  })
  /** Each entry that draws has a sampling of its own, so that the one chosen for all is nobody's. */
  const ownDraws = computed(() => {
    const drawing = choices.value.methods.map(entryParts).filter((/** @type {{method: string}} */ {method}) => catalog.methods.find(({name}) => name === method)?.draws)
    return drawing.length > 0 && drawing.every((/** @type {{sampling: string}} */ {sampling}) => sampling)
  })
  const dear = computed(() => (predicted.value?.estimate ?? 0) > PATIENCE) // so long that it waits for "Run"
  const replay = createReplay({series, axis, fresh, state, target})

  /** The side of an entry or of its label. @param {string} label @returns {import("./schema").MethodEntry["side"]} */
  const sideOf = (label) => catalog.methods.find((each) => each.name === methodOf(label))?.side ?? "full"

  /** Passes of an entry in the unit of the picture; null where its rounds are no fixed share of a pass. @param {string} label @param {number} passes */
  function inUnit(label, passes) {
    const {matrix} = predicted.value ?? prediction.value ?? {}
    const side = sideOf(label)
    if (axis.value === "passes") return passes
    if (!matrix || side === "full" || (label.split(", ")[1] ?? choices.value[`${side}_sampling`]) !== "uniform") return null
    return (passes * (side === "primal" ? matrix.columns : matrix.rows)) / Math.max(entryParts(label).batch, 1)
  }

  // ------------------------------------------------------------ changes
  /** @param {Partial<State>} changes */
  const set = (changes) => {
    state.value = {...state.value, ...changes}
  }

  /** @param {Choices} changes */
  function choose(changes) {
    if (!dragging.value) remember()
    if (!standing.value.upload) dismiss()
    set({choices: {...choices.value, ...changes}})
  }

  function dismiss() {
    standing.value = nothing
  }

  /** The last finished picture stays as a ghost. */
  function remember() {
    if (race.value?.outcome && fresh.value && !veiled.value) ghost.value = race.value
  }

  let rest = /** @type {any} */ (0)
  /** Choices that a slider changes while it moves. @param {Choices} changes */
  function drag(changes) {
    clearTimeout(rest)
    rest = setTimeout(letGo, REST)
    if (!dragging.value) remember()
    batch(() => {
      dragging.value = true
      choose(changes)
    })
  }

  function letGo() {
    clearTimeout(rest)
    if (!dragging.value) return
    dragging.value = false
    void follow()
  }

  /** @param {string} words */
  function say(words) {
    notice.value = words
    setTimeout(() => {
      if (notice.value === words) notice.value = ""
    }, 6000)
  }

  // ------------------------------------------------------------ questions
  /** @returns {Promise<boolean>} whether a race can follow */
  async function predict() {
    const asked = key.value
    if (predicted.value) return !refused.value && !veiled.value
    waiting.value = asked
    const answer = await ask("predict", {choices: choices.value})
    batch(() => {
      waiting.value = ""
      failure.value = answer.error
      if (answer.value) prediction.value = {.../** @type {Prediction} */ (answer.value), key: asked}
    })
    return !answer.error && asked === key.value && !refused.value && !veiled.value
  }

  const past = /** @type {Map<string, RaceSeen>} */ (new Map())
  /** @param {number} draws @param {boolean} [quiet]  show nothing before its end: it is replayed then */
  async function run(draws, quiet = false) {
    const about = choices.value
    const asked = key.value
    const old = past.get(asked)
    if (old && old.draws >= draws) {
      race.value = old
      return old
    }
    /** @type {RaceSeen} */
    let seen = {key: asked, choices: about, digest: "", runs: [], outcome: null, draws, running: true, error: ""}
    const began = Date.now()
    racing.value = {words: "", progress: 0, began}
    const take = (/** @type {RaceEvent | null} */ event, running = true, error = "") => {
      const runs = [...(event?.runs ?? []), ...seen.runs.filter((old) => !event?.runs.some((each) => each.label === old.label && each.draw === old.draw))]
      const order = labelsOf(seen)
      runs.sort((a, b) => (order.indexOf(a.label) >>> 0) - (order.indexOf(b.label) >>> 0) || a.draw - b.draw)
      seen = {...seen, runs, running, digest: event?.digest ?? seen.digest, outcome: event?.outcome ?? null,
        error: event?.error || error}
      racing.value = running ? {words: event?.words ?? "", progress: event?.progress ?? 0, began} : null
      const drawable = runs.length > 0 && (!(dragging.value || (quiet && running)) || seen.outcome)
      if (drawable || seen.error) race.value = seen
    }
    const answer = await ask("race", {choices: about, draws}, (piece) => take(/** @type {RaceEvent} */ (piece.value)))
    take(/** @type {RaceEvent | null} */ (answer.value), false, answer.error)
    if (seen.outcome && !seen.error) past.set(asked, seen)
    if (past.size > PAST) past.delete([...past.keys()][0])
    return seen
  }

  let drafting = false
  /** What follows a slider while it moves: a prediction and one draw, one after another. */
  async function draft() {
    if (drafting) return
    drafting = true
    let quick = true
    while (dragging.value) {
      const before = key.value
      const began = Date.now()
      if ((await predict()) && quick && !dear.value) {
        const from = Date.now()
        await run(1)
        quick = Date.now() - from < SLOW
      }
      const left = catalog.engine === "wasm" ? 0 : PACE - (Date.now() - began)
      await new Promise((resolve) => setTimeout(resolve, Math.max(left, 8)))
      if (key.value === before) break
    }
    drafting = false
  }

  /** What follows a change at rest: prediction, race, why, advice. @param {{asked?: boolean, show?: boolean}} [how] */
  async function follow({asked = false, show = false} = {}) {
    const about = key.value
    drafting = false
    if (!(await predict()) || (dear.value && !asked && !past.has(about))) return
    const replayed = show && !globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches
    const seen = await run(choices.value.seeds, replayed)
    if (!seen.outcome || about !== key.value) return
    stories.learn(seen.outcome, predicted.value)
    if (replayed) replay.play()
    const explained = await ask("explain", {choices: choices.value})
    if (explained.value && about === key.value) explanation.value = {.../** @type {Explanation} */ (explained.value), key: about}
    if (about === key.value && predicted.value?.theorems.some(({value}) => value === null)) {
      const known = await ask("rates", {choices: choices.value})
      if (known.value && about === key.value) rates.value = {.../** @type {Rates} */ (known.value), key: about}
    }
    const told = await ask("advise", {choices: choices.value})
    if (told.value && about === key.value) advice.value = {.../** @type {Advice} */ (told.value), key: about}
    if (atStep.value) await catchUp(about)
  }

  /** Race a story's earlier steps unseen, whose numbers the present one's sentence takes. @param {string} about */
  async function catchUp(about) {
    for (const step of stories.missing()) {
      const before = storyChoices(catalog, state.value.story, step)
      const known = await ask("predict", {choices: before})
      if (about !== key.value) return
      const {value} = await ask("race", {choices: before, draws: before.seeds})
      const event = /** @type {RaceEvent | null} */ (value)
      if (about !== key.value || !event?.outcome) return
      stories.learn(event.outcome, /** @type {Prediction | null} */ (known.value), step)
    }
  }

  /** @param {string} value */
  function takeGuess(value) {
    guesses.value = {...guesses.value, [key.value]: value}
    void follow({show: true, asked: true})
  }

  /** Let who is likely best race, too. @param {Advice} who */
  function tryAdvice(who) {
    choose(who.entry ?? {})
    tried.value = {key: key.value, label: who.label}
  }

  function newDraws() {
    choose({seed: choices.value.seed + choices.value.seeds})
  }

  // ------------------------------------------------------------ races kept
  function keep(name = "") {
    const seen = race.value
    if (!seen?.outcome || !fresh.value || kept.value.some((each) => each.race.key === seen.key)) return
    const words = name || dataWords(catalog, seen.choices)
    kept.value = [{id: Date.now(), name: words, choices: seen.choices, race: seen, ratio: ratio.value}, ...kept.value].slice(0, 4)
  }

  /** @param {number} id */
  const discard = (id) => {
    kept.value = kept.value.filter((each) => each.id !== id)
  }

  /** A kept race's name beside the present one: its data, and what else differs. @param {Kept} each */
  const keptName = (each) => difference(catalog, {...each.choices, passes: choices.value.passes}, choices.value) || each.name

  /** Races that stay in the picture behind the present one, each with what tells it from that one. */
  const earlier = computed(() => {
    const named = kept.value.map((each) => ({race: each.race, name: keptName(each)}))
    const last = ghost.value
    if (last && !named.some((each) => each.race === last))
      named.push({race: last, name: difference(catalog, {...last.choices, passes: choices.value.passes}, choices.value)})
    return named.filter((each) => each.race.key !== race.value?.key)
  })

  const stories = createStories({catalog, state, storage, set, keep, atStep, outcome, kept, replay, ghost, guesses})

  /** @param {File} file @param {number | null} [column]  where its label stands */
  async function takeFile(file, column = null) {
    if (!engine.take) return say("This page takes no files.")
    standing.value = {...nothing, words: `Reading ${file.name} …`}
    const {choices: found, words, columns, label} = await engine.take(file, column)
    if (found) choose(found)
    standing.value = {words, upload: found?.upload ?? "", file, columns, label}
  }

  /** Choices from elsewhere, beside the defaults: a story is left that they are not of, and the race is run. @param {Choices} values */
  function take(values) {
    remember()
    dismiss()
    const others = {...catalog.defaults, ...values}
    batch(() => {
      guesses.value = {...guesses.value, [keyOf(others)]: ""}
      set({...placeOf(catalog, others), choices: others})
    })
  }

  /** What an address asks for, of which the reader comes back. @param {string} query */
  function arrive(query) {
    replay.rest()
    state.value = read(query, catalog).state
  }

  /** @param {string} drawer */
  const facts = (drawer) => ask("facts", {drawer, choices: choices.value})

  function stopRace() {
    stop("race")
    racing.value = null
    if (race.value?.running) race.value = {...race.value, running: false}
  }

  const finish = effect(() => {
    void key.value
    untracked(() => {
      replay.rest()
      void (dragging.value ? draft() : follow())
    })
  })
  const tell = effect(() => {
    if (!dragging.value) options.onChange?.(written(state.value, catalog), state.value)
  })

  return {
    catalog, options, state, choices, key, story, axis, target, atStep, veiled, predicted, prediction, race, fresh, series, refused,
    outcome, pair, ratio, ratioWords, rated, answers, ownDraws, why, advised, dear, earlier, kept, guess, tried, dragging, racing, waiting, failure, notice, fileRead, replay, stories,
    dismiss, hosted, sideOf, inUnit, set, choose, drag, letGo, say, follow, takeGuess, tryAdvice, newDraws, keep, discard, keptName, take, arrive, takeFile, facts, stopRace,
    /** Where the race on the picture ends. */
    end: computed(() => endOf(series.value)),
    leave() {
      finish()
      tell()
      replay.rest()
      stop("race")
    },
  }
}

/** @typedef {ReturnType<typeof createPage>} Page */
