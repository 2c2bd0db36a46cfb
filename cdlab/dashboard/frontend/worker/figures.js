/* Numbers that say whose they are, and sentences of them; `explanations/figures.py`, with the templates of its rules.json. */

import {spoken} from "./numbers.js"
import {site} from "./site.js"

/** @typedef {import("../src/schema").Figure} Figure @typedef {import("../src/schema").Reason} Reason @typedef {import("./choices").Contestant} Contestant */

/** @param {string} text @param {Record<string, string>} words */
const filled = (text, words) => text.replace(/\{(\w+)\}/g, (_, name) => words[name])
/** @param {string} key @param {Record<string, string>} [words] */
export const template = (key, words = {}) => filled(site.explanations.templates[key], words)

/** @param {string} quantity @param {string} source @param {Contestant} entry @param {number} value @param {number} low @param {number} high @param {Partial<Figure>} [more] @returns {Figure} */
export function figure(quantity, source, {method, draws, batch, sampling}, value, low, high, more = {}) {
  const named = {method: batch === null ? method : template("in batches", {method, size: String(batch)}), draws: draws && batch === null ? sampling : "", data: ""}
  return {quantity, ...named, source, value, low, high: Number.isFinite(high) ? high : null, runs: 0, lines: "", reached: true, ...more}
}

/** What a figure says. @param {Figure} of */
function written({quantity, method, draws, data, source, value, low, high, runs, lines, reached}) {
  const who = `${method} ${data}`.trimEnd(), drawn = draws.replaceAll("_", " "), subject = draws ? template("subject", {who, draws: drawn}) : who
  const from = spoken(low), to = spoken(high ?? Infinity), interval = from === to ? from : template("interval", {low: from, high: to})
  const several = high === null ? "some" : from === to ? "same" : "many", many = !reached ? "unreached" : runs === 1 ? "one" : several
  return template(`figure.${quantity}.${source}${quantity === "passes" && runs ? `.${many}` : ""}`, {who, subject, draws: draws ? `${drawn}; ` : "", value: spoken(value), interval, low: from, runs: String(runs), lines})
}

/** What a rule says. @param {string} rule @param {Reason["side"]} side @param {Record<string, Figure | string>} parts @param {string} [key] @returns {Reason} */
export function reason(rule, side, parts, key = rule) {
  const figures = /** @type {Figure[]} */ ([])
  const text = site.explanations.templates[key].replace(/\{(\w+)\}/g, (_, name) => {
    const part = parts[name]
    if (typeof part === "string") return part
    figures.push(part)
    return written(part)
  })
  return {rule, side, figures, sentence: text[0].toUpperCase() + text.slice(1)}
}
