/* Methods found by what they do. */

/** @typedef {{name: string, side: string, group: string, words: string}} Method */

/** @param {string} text */
const words = (text) => text.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter(Boolean)

/** What a method is found by. @param {Method} method */
const said = ({name, side, group, words: line}) => words(`${name} ${side} ${group} ${line}`)

/**
 * The methods of which each word of the query begins a word; by group, in the order of the list.
 * @param {Method[]} methods @param {string} query
 * @returns {Map<string, Method[]>}
 */
export function search(methods, query) {
  const parts = words(query)
  /** @type {Map<string, Method[]>} */
  const groups = new Map()
  for (const method of methods) {
    const known = said(method)
    if (!parts.every((part) => known.some((word) => word.startsWith(part)))) continue
    groups.set(method.group, [...(groups.get(method.group) ?? []), method])
  }
  return groups
}

/**
 * The choices of the row: the first method of each side, and the others.
 * @param {Method[]} methods @param {string[]} chosen
 */
export function sides(methods, chosen) {
  const side = (/** @type {string} */ name) => methods.find((each) => each.name === name)?.side
  const primal = chosen.find((name) => side(name) === "primal") ?? ""
  const dual = chosen.find((name) => side(name) === "dual") ?? ""
  return {primal, dual, others: chosen.filter((name) => name !== primal && name !== dual)}
}

/**
 * The chosen methods after another one has been taken for a side ("" for none).
 * @param {Method[]} methods @param {string[]} chosen @param {string} side @param {string} name
 */
export function taken(methods, chosen, side, name) {
  const {primal, dual, others} = sides(methods, chosen)
  const first = side === "primal" ? [name, dual] : [primal, name]
  return [...new Set([...first, ...others].filter(Boolean))]
}

/**
 * The option that a key of the list leads to; -1 is the field itself.
 * @param {number} at @param {number} count @param {string} key
 */
export function moved(at, count, key) {
  if (count === 0) return -1
  if (key === "ArrowDown") return (at + 1) % count
  if (key === "ArrowUp") return at <= 0 ? count - 1 : at - 1
  return at
}
