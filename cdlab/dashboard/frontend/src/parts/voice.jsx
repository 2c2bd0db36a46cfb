// The one voice: it asks, tells and says why, always in the same place of the same height.
import {useEffect, useState} from "preact/hooks"
import {Explained} from "./term.jsx"
import {usePage, colour} from "./page_context.js"
import {leadOf, verdict} from "../curves.js"
import {storyChoices} from "../state.js"
import {difference, listed, number, passes, power, share, times} from "../words.js"

const PATIENCE = 400 // milliseconds after which a race is talked about

export function Voice() {
  const page = usePage()
  const now = useNow(!!page.racing.value)
  const {said: saying, more, tail, reason = more} = sayings(page, now)
  const asks = page.veiled.value && !page.failure.value && !page.refused.value
  const said = asks && page.notice.value ? page.notice.value : saying // the answers stay
  const length = typeof said === "string" ? said.length + (tail ? tail.length + 1 : 0) : 0
  const {stories, atStep, replay} = page
  const told = stories.told.value
  const premise = atStep.value && !told && replay.head.value === null ? stories.question.value : ""
  const notice = page.notice.value && <span class="soft">{page.notice.value}</span>
  const inPlace = notice && !asks && page.fresh.value && !page.racing.value // of a reason, but of no button
  return (
    <div class={`voice ${stories.now.value ? "telling" : ""}`} role="status" aria-live={page.replay.playing.value ? "off" : "polite"}>
      <Tale text={premise} />
      {stories.now.value && !atStep.value && <Changed />}
      <div class={`out ${length > 86 ? "longest" : length > 74 ? "longer" : length > 62 ? "long" : ""}`} title={typeof said === "string" ? said : ""}>{said}{tail && <span class="tail"> {tail}</span>}</div>
      <div class={`why ${typeof reason === "string" && reason.length > 150 ? "long" : ""}`}>{inPlace ? notice : explained(more)}</div>
      <Tale text={told} />
      {notice && !asks && !inPlace && <p class="file">{notice}</p>}
      <FileRead />
    </div>
  )
}

/** What was read of a reader's file, and which of its columns is the label. */
function FileRead() {
  const {fileRead, takeFile, dismiss} = usePage()
  if (!fileRead.value) return null
  const {words, file, columns, label} = fileRead.value
  return (
    <p class="file">
      {words}{" "}
      {file && columns.length > 0 && <label>Label: <select value={label ?? ""} onChange={(event) => void takeFile(file, Number(event.currentTarget.value))}>
        {label === null && <option value="" disabled>choose a column</option>}
        {columns.map((name, k) => <option key={k} value={k}>{name}</option>)}
      </select></label>}{" "}
      <button class="link" onClick={dismiss}>Dismiss</button>
    </p>
  )
}

/** In place of a story's words, which are about other choices: what was changed, and the way back. */
function Changed() {
  const {catalog, choices, state, stories} = usePage()
  const {story, step} = state.value
  return (
    <p class="tale">
      Changed: {difference(catalog, choices.value, storyChoices(catalog, story, step))}. This is no longer story {story}.{" "}
      <button class="link bold" onClick={() => stories.show(story, step)}>Back to the story</button>
    </p>
  )
}

/** What a story says before a race, or after it. @param {{text: string}} props */
const Tale = ({text}) => text && <p class="tale"><Explained text={text} /></p>

/** @param {any} words  a sentence, or elements */
const explained = (words) => (typeof words === "string" ? <Explained text={words} /> : words)

/** The time, while it matters. @param {boolean} matters */
function useNow(matters) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    if (!matters) return
    const clock = setInterval(() => setNow(Date.now()), 200)
    return () => clearInterval(clock)
  }, [matters])
  return Math.max(now, Date.now())
}

/** @param {import("../page").Page} page @param {number} now @returns {{said: any, more?: any, tail?: any, reason?: string}} */
function sayings(page, now) {
  const {catalog, choices, failure, refused, veiled, racing, fresh, replay, race, waiting, dear, predicted, dragging, key} = page
  if (failure.value) return {said: "The engine could not answer.", more: failure.value}
  const refusal = refused.value
  if (refusal) return {said: refusal.why, more: <span class="tools">{refusal.what === "file" && <FileButton name={choices.value.upload.split(":")[0]} />}{refusal.repairs.map((repair) => <button key={repair.words} onClick={() => page.choose(repair.choices)}>{repair.words}</button>)}</span>}
  if (waiting.value && !race.value) return {said: catalog.presets.some((each) => each.name === choices.value.data) ? `Loading ${choices.value.data}` : "Making the data"}
  if (veiled.value) return {said: question(page), more: <Guesses />}
  if (racing.value && !dragging.value && now - racing.value.began > PATIENCE)
    return {said: racing.value.words || "Racing", more: <span class="tools"><button onClick={page.stopRace}>Stop</button><progress value={racing.value.progress} max={1} aria-label="Progress" /></span>}
  const seen = race.value
  if (dragging.value && !fresh.value && seen) return {said: `${difference(catalog, choices.value, seen.choices)} …`}
  if (!fresh.value) {
    const run = <button class="key" onClick={() => void page.follow({asked: true})}>Run, about {number(predicted.value?.estimate, 1)} s</button>
    if (seen?.error && seen.key === key.value) return {said: "The race could not be run.", more: seen.error}
    if (!seen) return dear.value ? {said: "Nothing has been run yet.", more: <span class="tools">{run}</span>} : {said: "…"}
    if (waiting.value && catalog.presets.some((each) => each.name === choices.value.data)) return {said: `Loading ${choices.value.data}`}
    return {said: `These curves are for ${difference(catalog, seen.choices, choices.value) || "other choices"}.`,
      more: dear.value && !racing.value ? <span class="tools">{run}<span>for {difference(catalog, choices.value, seen.choices)}</span></span> : ""}
  }
  if (replay.words.value) return replay.words.value
  return told(page)
}

/** Opens the browser's dialog of the input under Data. @param {{name: string}} props */
const FileButton = ({name}) => (
  <button class="key" onClick={({currentTarget}) => /** @type {ParentNode} */ (currentTarget.getRootNode()).querySelector(/** @type {"input"} */ ("input[type=file]"))?.click()}>choose {name || "your file"}…</button>
)

/** @param {import("../page").Page} page */
const question = (page) => <Explained text={page.predicted.value?.refusals.some(({what}) => page.choices.value.methods.includes(what)) ? "Which of them can run at all?" : `Who needs fewer ${page.axis.value === "passes" ? "passes" : "rounds"} to bring the gap to ${power(page.target.value)}?`} />

export function Guesses() {
  const page = usePage()
  const {answers, sideOf} = page
  const labels = answers.value.filter((each) => each !== "even")
  const refused = page.predicted.value?.refusals.some(({what}) => page.choices.value.methods.includes(what))
  const sides = labels.map(sideOf)
  const named = (/** @type {string} */ label, /** @type {number} */ k) => (["primal", "dual"].includes(sides[k]) && new Set(sides).size === labels.length ? `${sides[k]} (${label})` : label)
  return (
    <span class="guess">
      {labels.flatMap((label, k) => [
        k === 1 && !refused && <button key="even" title="less than 1.25 times apart" onClick={() => page.takeGuess("even")}>about even</button>,
        <button key={label} class={colour(sideOf(label))} onClick={() => page.takeGuess(label)}>{named(label, k)}</button>,
      ])}
      <span class="s"><span class="desk">{refused ? "A guess starts the race; or " : "Even: under 1.25×. Or "}</span><button class="link" onClick={() => page.takeGuess("")}>just run it</button></span>
    </span>
  )
}

/** Who was first, and why. @param {import("../page").Page} page */
function told(page) {
  const {race, series, target, guess, why, axis} = page
  const outcome = race.value?.outcome
  if (!outcome) return {said: race.value?.running ? "Racing" : "Stopped before the target.", more: race.value?.running ? "" : "Run again, or change something."}
  const unit = axis.value === "passes" ? "passes" : "rounds"
  const all = series.value
  const there = all.filter((each) => each.reached !== null).sort((a, b) => Number(a.reached) - Number(b.reached))
  const rest = all.filter((each) => each.reached === null)
  const limit = Math.max(...rest.map((each) => each.last))
  const missing = rest.length ? `${rest.map((each, k) => `${each.label} ${k ? "" : "is "}at ${share(each.lastGap, target.value)}`).join(", ")} after ${passes(limit)} ${unit}, the limit` : ""
  const others = there.slice(1).map((each) => (each.label.includes(",") ? `${passes(each.reached)} of ${each.label}` : `${each.label}’s ${passes(each.reached)}`))
  const [first] = there
  const atOnce = there.filter((each) => each.reached === 0)
  const later = there.slice(atOnce.length).map((each) => `${each.label} took ${passes(each.reached)} ${unit}`)
  const {lead, winner} = leadOf(outcome, axis.value)
  const even = lead !== null && winner === null && there.length > 1
  const said = !first ? `Not there yet: ${missing}.`
    : atOnce.length ? `${listed(atOnce.map(({label}) => label))} ${atOnce.length > 1 ? "were" : "was"} at the target from the start${[listed(later), missing].filter(Boolean).map((each) => `; ${each}`).join("")}.`
    : all.length === 1 ? `${first.label} took ${passes(first.reached)} ${unit}.`
    : even ? `About even: ${listed(there.map((each) => `${passes(each.reached)} ${unit} of ${each.label}`))}${missing ? `; ${missing}` : ""}.`
    : `${first.label} was first: ${passes(first.reached)} ${unit}${others.length ? ` against ${others.some((each) => each.includes(",")) ? others.join("; ") : listed(others)}` : ""}${missing ? `; ${missing}` : lead && others.length === 1 ? `, ${times(lead)} times fewer` : ""}.`
  const mine = guess.value ?? ""
  const judged = mine && verdict(mine, outcome, axis.value)
  const words = mine === "even" ? "about even" : mine.split(", ").pop()
  const endless = page.choices.value.tol === 0 && `No target: all ran to the limit, and are judged at ${power(target.value)}.`
  const tail = mine && `You guessed ${words}${judged === "right" ? " ✓" : judged === "open" ? "; that is open" : " ✗"}`
  const reason = why.value?.why
  const out = page.predicted.value?.refusals.find(({what}) => page.choices.value.methods.includes(what))
  return {said, tail: tail || endless, reason: reason?.sentence, more: out && all.length === 1 ? out.why.replaceAll("_", " ") : reason ? <><b>{axis.value !== "passes" && reason.rule === "batch" && page.choices.value.batch > 1 ? `Why not ${page.choices.value.batch} times` : "Why"}:</b> <Explained text={reason.sentence} /></> : outcome.at_least && lead !== null ? `At least ${times(lead)} times apart.` : ""}
}
