// A certificate: its fields are exactly those that are known, none twice, and sealed by the SHA-256 of the text before.
import {sha256} from "@noble/hashes/sha2.js"
import {bytesToHex} from "@noble/hashes/utils.js"
import {parse} from "lossless-json"

export class Rejected extends Error {}

/** Rejects the certificate with a statement that must be true, and is not. @param {unknown} isTrue @param {string} statement @returns {asserts isTrue} */
export function require(isTrue, statement) {
  if (!isTrue) throw new Rejected(statement)
}

const FIELDS = {
  "": ["file", "version", "problem", "data", "claim", "about", "w", "alpha", "seal"],
  problem: ["loss", "l2", "l1", "intercept", "weights"],
  data: ["examples", "features", "classes", "labels", "label_column", "rows", "scale", "sha256"],
  claim: ["gap", "primal", "dual"],
}
/** Where null; from, to. @type {Record<string, [number, number, number]>} */
const FEATURES = {lower: [-Infinity, -Infinity, 0], upper: [Infinity, 0, Infinity], factor: [1, 0, Number.MAX_VALUE]}
/** Of a problem, by version. @type {Record<string, string[]>} */
const MORE_FIELDS = {1: [], 2: ["offset"], 4: ["offset", ...Object.keys(FEATURES)]}

/** @param {Uint8Array} bytes @returns {boolean} */
export const isCertificate = (bytes) => /^\s*\{\s*"file"\s*:\s*"cdlab certificate"/.test(new TextDecoder().decode(bytes.slice(0, 80)))

/** @param {Uint8Array} bytes @returns {any} */
export function readCertificate(bytes) {
  const known = json(bytes)
  require(known?.file === "cdlab certificate", "the file is a certificate")
  require(typeof known.version === "bigint" && Object.hasOwn(MORE_FIELDS, `${known.version}`), "its version is 1, 2 or 4; cdlab check and checker.py read those of folders, too")
  for (const [part, names] of Object.entries(FIELDS)) {
    const found = part ? known[part] : known
    const wanted = part === "problem" ? [...names, ...MORE_FIELDS[known.version]] : names
    require(isObject(found) && Object.keys(found).join() === wanted.join(), `${part || "the file"} has the fields ${wanted.join(", ")}`)
  }
  const text = new TextDecoder("latin1").decode(bytes) // one character for each byte
  const end = text.lastIndexOf('"seal"')
  require(end > 0 && text.slice(end) === `"seal": "${bytesToHex(sha256(bytes.slice(0, end)))}"}`, "the file is as it was written: its seal is the SHA-256 of the bytes before it")
  return known
}

/** A certificate's text with something else in it, and a seal that fits. @param {string} text @param {(known: any) => void} change */
export function resealed(text, change) {
  const known = JSON.parse(text)
  change(known)
  const {seal, ...others} = known
  const head = `${JSON.stringify(others).slice(0, -1)}, `
  return `${head}"seal": "${bytesToHex(sha256(new TextEncoder().encode(head)))}"}`
}

/** @param {unknown} x */
const isObject = (x) => typeof x === "object" && x !== null && !Array.isArray(x)

/** JSON whose whole numbers are BigInts; all keys of a certificate differ. @param {Uint8Array} bytes @returns {any} */
function json(bytes) {
  const number = (/** @type {string} */ text) => (/^-?\d+$/.test(text) ? BigInt(text) : Number(text))
  try {
    const text = new TextDecoder("utf-8", {fatal: true}).decode(bytes)
    const found = parse(text, null, {parseNumber: number, onDuplicateKey: () => {}})
    const keys = text.match(/"\w+"\s*:/g) ?? []
    require(new Set(keys.map((key) => key.split('"')[1])).size === keys.length, "no field stands twice")
    return found
  } catch (error) {
    if (error instanceof Rejected) throw error
    throw new Rejected(`the certificate is JSON: ${error instanceof Error ? error.message : error}`)
  }
}

/** A number that is a double, from `least` on. @param {string} name @param {unknown} value @param {number} [least] */
export function number(name, value, least = -Infinity) {
  const found = typeof value === "bigint" ? Number(value) : value
  const isDouble = typeof found === "number" && Math.abs(found) < 2 ** 1023 && (typeof value !== "bigint" || BigInt(found) === value)
  require(isDouble && found >= least, `${name} is a double${least < 0 ? "" : ` >= ${least}`}, not ${value}`)
  return found
}

/** The doubles in a text: base64 of the zlib stream of their little-endian bytes. @param {string} name @param {unknown} text @param {number} size @param {number} [least] @param {number} [most] */
export async function floats(name, text, size, least = -Number.MAX_VALUE, most = Number.MAX_VALUE) {
  require(typeof text === "string" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text), `${name} can be unpacked`)
  const raw = await unpacked(Uint8Array.from(atob(text), (each) => each.charCodeAt(0)), "deflate", 8 * size).catch(() => require(false, `${name} can be unpacked`))
  require(raw?.length === 8 * size, `${name} holds ${size} doubles`)
  const found = new Float64Array(raw.buffer)
  require(found.every((x) => x >= least && x <= most), `${name} holds numbers from ${least} to ${most}`)
  return found
}

/** Bounds and factors of the features, and of a penalised intercept. @param {any} known @returns {Promise<Record<string, Float64Array>>} */
export async function ofFeatures({problem, data}) {
  const size = Number(data.features) + Number(problem.intercept !== null && problem.intercept !== "free")
  const each = Object.entries(FEATURES).map(async ([name, [usual, ...ends]]) => [name, problem[name] == null ? new Float64Array(size).fill(usual) : await floats(name, problem[name], size, ...ends)])
  return Object.fromEntries(await Promise.all(each))
}

/** What a compressed stream holds; null where it is more than `most` bytes. @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionFormat} format @param {number} most */
export async function unpacked(bytes, format, most) {
  const reader = new Response(bytes).body?.pipeThrough(new DecompressionStream(format)).getReader()
  const found = new Uint8Array(most)
  for (let size = 0; reader; ) {
    const {value, done} = await reader.read()
    if (done) return found.slice(0, size)
    if (size + value.length > most) return null
    found.set(value, size)
    size += value.length
  }
  return null
}
