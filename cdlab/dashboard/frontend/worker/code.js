/* The present choices as a Python script that runs the same race; `engine/code.py`, whose template is filled here. */

import {constants} from "../wasm/index.js"
import {drawsOf, drawnSide, contestants, parseEntry, targetOf} from "./choices.js"
import {argumentsOf, prepared} from "./problems.js"
import {entryRefusals} from "./refusals.js"
import {site} from "./site.js"

/** @typedef {import("./choices").Choices} Choices */

/** @param {any} value @returns {string} a value as Python writes it */
function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`
  if (value && typeof value === "object") return `{${Object.entries(value).map(([key, each]) => `${literal(key)}: ${literal(each)}`).join(", ")}}`
  return JSON.stringify(value)
}

/** @param {Choices} choices */
export async function script(choices) {
  const refused = entryRefusals(choices).map(({what}) => what), entries = contestants(choices).filter(({asked}) => !refused.includes(asked)), {problem} = await prepared(choices)
  if (!entries.length) throw new Error(entryRefusals(choices)[0].why)
  const {C_P} = constants(problem), l2 = choices.l2_over_n ? `${choices.l2} / X.shape[0]` : choices.l2, target = targetOf(choices)
  const loss = site.lab.file.losses[choices.loss].chosen ? `cdlab.losses.${site.lab.file.losses[choices.loss].struct._}(gamma=${choices.gamma})` : literal(choices.loss)
  const parts = /** @type {Record<string, string | number>} */ ({
    version: site.version, data: data(choices).join("\n"), problem: `X, y, loss=${loss}, l2=${l2}, l1=${choices.l1}`,
    check: `abs(P.column_profile.C / ${C_P} - 1) < 1e-9`, entries: entries.map(({asked}) => `        (${literal(entry(choices, asked)[0])}, ${literal(entry(choices, asked)[1])}),`).join("\n"),
    seeds: literal(drawsOf(choices)), tol: choices.tol, passes: choices.passes, labels: literal(entries.map(({label}) => label)), target, quantity: "",
  })
  return site.script.replace(/\{\{|\}\}|\{(\w+)(?:!r)?\}/g, (whole, name) => (name ? String(parts[name]) : whole[0]))
}

/** An entry as `cdlab.race` takes it. @param {Choices} choices @param {string} asked @returns {[string, Record<string, any>]} */
function entry(choices, asked) {
  const [name, batch, sampling] = parseEntry(asked), own = drawnSide(name) === "dual" ? choices.dual_sampling : choices.primal_sampling, size = batch || (site.batches.includes(name) ? choices.batch : 1)
  return [name, site.lab.file.methods[name].draws ? {sampling: sampling || own, ...(size > 1 ? {batch_size: size} : {})} : {}]
}

/** The lines that make or load X and y. @param {Choices} choices */
function data(choices) {
  if (site.families[choices.data]) {
    const given = Object.entries(argumentsOf(choices)).map(([name, value]) => `${name}=${literal(value)}`).join(", ")
    const made = `X, y = cdlab.datasets.make(\n    ${choices.data === "synthetic" ? "" : `${literal(choices.data)}, `}${given}\n)`
    return choices.scale === "none" ? [made] : [made, `X = cdlab.datasets.scaled(X, ${literal(choices.scale)})`]
  }
  const [name, , label] = choices.data === "upload" ? choices.upload.split(":") : [choices.data], loaded = `X, y = cdlab.datasets.load(${literal(name)}, scale=${literal(choices.scale)}${label ? `, label=${label}` : ""})`
  if (choices.data === "upload") return ["# your file: put its path here", loaded]
  const draw = `np.random.default_rng(${choices.data_seed}).permutation(X.shape[0])[:${choices.sample}]`
  return choices.sample ? [loaded, `rows = np.sort(${draw})`, "X, y = X[rows], y[rows]"] : [loaded]
}
