// Numbers and choices as people write them.

/** @typedef {import("./schema").Catalog} Catalog */
/** @typedef {import("./schema").Slider} Slider */
/** @typedef {Record<string, any>} Choices */

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
const LOWERED = "₀₁₂₃₄₅₆₇₈₉"

/** A number with so many digits, thousands set apart. @param {number | null | undefined} x @returns {string} */
export function number(x, digits = 3) {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–"
  if (x < 0) return `−${number(-x, digits)}`
  const size = Math.abs(x)
  if (size >= 1e7) return power(x, 2)
  if (size >= 1000) return Math.round(+x.toPrecision(Math.max(digits, 3))).toLocaleString("en-US")
  if (size > 0 && size < 1e-4) return power(x)
  return String(+x.toPrecision(digits))
}

/** A whole number. @param {number} x */
export const count = (x) => Math.round(x).toLocaleString("en-US")

/** Passes as sentences say them: three digits from 10 on, two below. @param {number | null} x */
export const passes = (x) => number(x, x !== null && x < 10 ? 2 : 3)

/** 10⁻⁶, or 3 · 10⁻⁴. @param {number} x */
export function power(x, digits = 1) {
  const exponent = Math.floor(Math.log10(Math.abs(x)) + 1e-9)
  const front = +(x / 10 ** exponent).toPrecision(digits)
  return front === 1 ? `10${raised(exponent)}` : front === 10 ? `10${raised(exponent + 1)}` : `${front} · 10${raised(exponent)}`
}

/** @param {number} whole */
export const raised = (whole) => String(whole).replace(/./g, (each) => (each === "-" ? "⁻" : RAISED[+each]))

/** @param {number} whole */
export const lowered = (whole) => String(whole).replace(/\d/g, (each) => LOWERED[+each])

/** A relative gap in the unit of the picture's axis, where the start is 1: 0.44, or a power of ten. @param {number} gap @param {number} target */
export function share(gap, target) {
  if (gap <= target * 1.0001) return "at the target"
  if (gap >= 0.005) return number(gap, gap < 0.1 ? 1 : 2)
  const digits = [1, 2, 3, 4].find((each) => power(gap, each) !== power(target, each)) // what is not at the target does not read so
  return power(gap, digits ?? 5)
}

/** @param {number} x */
export const times = (x) => number(x, 2)

/** The value of a slider. @param {Slider} slider @param {any} value */
export function sliderValue(slider, value) {
  if (slider.unit === "%") return `${number(100 * value)} %`
  return `${slider.whole ? count(value) : number(value)}${slider.unit ? ` ${slider.unit}` : ""}`
}

/** λ: 1/n, 0.01/n, or a number. @param {Choices} choices */
export const weight = (choices) => (choices.l2_over_n ? `${number(choices.l2)}/n` : number(choices.l2))

/** The method of an entry or of its label: "rcd" of "rcd, importance", "quartz" of "quartz(32)@uniform". @param {string} label */
export const methodOf = (label) => label.split(/[,(@]/)[0].trim()

/** The parts of an entry of `methods`. @param {string} entry */
export const entryParts = (entry) => ({method: methodOf(entry), batch: Number(entry.match(/\((\d+)\)/)?.[1] ?? 0), sampling: entry.split("@")[1] ?? ""})

/** @param {{method: string, batch: number, sampling: string}} parts */
export const entryOf = ({method, batch, sampling}) => `${method}${batch > 1 ? `(${batch})` : ""}${sampling && `@${sampling}`}`

/** @param {string[]} words */
export const listed = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`

/** The card that made data are nearest to; undefined for other data. @param {Catalog} catalog @param {Choices} choices */
export function cardOf(catalog, choices) {
  const distance = (/** @type {Choices} */ sets) =>
    Object.entries(sets).reduce((sum, [name, value]) => {
      const slider = catalog.sliders.find((each) => each.name === name)
      return sum + (slider ? Math.abs(position(slider, choices[name]) - position(slider, value)) : +(choices[name] !== value))
    }, 0)
  const same = catalog.cards.filter((card) => (card.sets.data ?? catalog.defaults.data) === choices.data)
  const full = same.filter((card) => (card.sets.density === 1) === (choices.density === 1))
  return (full.length ? full : same).sort((a, b) => distance(a.sets) - distance(b.sets))[0]
}

/** Where a value stands on its slider, 0 to 1. @param {Slider} slider @param {number} value */
export function position(slider, value) {
  const put = slider.scale === "log" ? Math.log10 : Number
  return (put(value) - put(slider.least)) / (put(slider.most) - put(slider.least))
}

export const PLACES = 200 // of a slider

/** The value at a place of a slider, with as few digits as stay there. @param {Slider} slider @param {number} place */
export function valueAt(slider, place) {
  const {least, most} = slider
  const raw = slider.scale === "log" ? least * (most / least) ** place : least + (most - least) * place
  const digits = [1, 2, 3, 4].find((each) => Math.abs(position(slider, +raw.toPrecision(each)) - place) < 0.5 / PLACES) ?? 4
  return slider.whole ? Math.round(+raw.toPrecision(digits)) : +raw.toPrecision(digits)
}

/** Data in a word or two: "words, skew 1.3". @param {Catalog} catalog @param {Choices} choices @returns {string} */
export function dataWords(catalog, choices) {
  const card = cardOf(catalog, choices)
  if (!card) return choices.data === "upload" ? String(choices.upload).split(":")[0] || "your file" : choices.data
  const own = card.sliders
    .filter((name) => !["n", "d"].includes(name) && name in card.sets && card.sets.density !== 1)
    .map((name) => catalog.sliders.find((each) => each.name === name))
    .filter((slider) => slider !== undefined && (slider.name === "skew" || choices[slider.name] !== card.sets[slider.name]))
  return [card.title, ...own.map((slider) => slider && choiceWords(catalog, choices, slider.name))].join(", ")
}

/** One choice: "skew 1.3", "λ = 1/n". @param {Catalog} catalog @param {Choices} choices @param {string} name @returns {string} */
function choiceWords(catalog, choices, name) {
  if (name === "l2" || name === "l2_over_n") return `λ = ${weight(choices)}`
  if (name === "methods") return choices.methods.join(", ").replace(/@(\w+)/g, " ($1)")
  if (name === "data" || name === "upload") return dataWords(catalog, choices)
  if (name.endsWith("_sampling")) return `${choices[name]} draws`
  const slider = catalog.sliders.find((each) => each.name === name)
  return slider ? `${slider.label} ${sliderValue(slider, choices[name])}` : `${name.replaceAll("_", " ")} ${choices[name]}`
}

/** In what `choices` differ from `others`, in words. @param {Catalog} catalog @param {Choices} choices @param {Choices} others */
export function difference(catalog, choices, others) {
  const names = Object.keys(choices).filter((name) => JSON.stringify(choices[name]) !== JSON.stringify(others[name]))
  const made = ["data", "density", "skew"].some((name) => names.includes(name)) && cardOf(catalog, choices) !== cardOf(catalog, others)
  const told = made ? ["data", ...names.filter((name) => !["data", "density", "skew"].includes(name))] : names
  return [...new Set(told.map((name) => choiceWords(catalog, choices, name)))].join(", ")
}

/** A sentence with places such as {a.sdca} filled. @param {string} sentence @param {Record<string, any>} numbers */
export const filled = (sentence, numbers) =>
  sentence.replace(/\{([^{}]+)\}/g, (_, path) => {
    const [step, ...rest] = path.split(".")
    return numbers[step]?.[rest.join(".")] ?? "–"
  })
