// The drawer Proof: a certificate and its data, checked here, one statement after another. Nothing leaves the browser.
import {useRef, useState} from "preact/hooks"
import {Roving} from "./roving.jsx"
import {isCertificate, resealed} from "../../checker/certificate.js"
import {check} from "../../checker/checking.js"
import {CERTIFICATE, DATA} from "../../checker/example.js"

/** @typedef {import("../../checker/data.js").Named} Named */

/** @param {string} name @param {string} text @returns {Named} */
const fileOf = (name, text) => ({name, bytes: new TextEncoder().encode(text)})
/** What may be done to the example: the certificate's text, and the data's. @type {[string, string, string][]} */
const EXAMPLES = [
  ["an example", CERTIFICATE, DATA],
  ["half the gap claimed", resealed(CERTIFICATE, (known) => { known.claim.gap /= 2 }), DATA],
  ["the gap changed, but not the seal", CERTIFICATE.replace(/"gap": [^,]+/, '"gap": 0.001'), DATA],
  ["another label in the data", CERTIFICATE, DATA.replace(/^1/, "-1")],
]

export function Proof() {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null))
  const asked = useRef(0) // the newest check: what an older one tells is not heard
  const [files, setFiles] = useState({certificate: /** @type {Named | null} */ (null), data: /** @type {Named[]} */ ([])})
  const [steps, setSteps] = useState(/** @type {import("../../checker/checking.js").Step[]} */ ([]))
  const [share, setShare] = useState(0)
  const [verdict, setVerdict] = useState("")
  const {certificate, data} = files

  /** @param {Named} first @param {Named[]} others  the data, and labels in a file of their own */
  async function begin(first, others) {
    const number = ++asked.current
    const heard = (/** @type {(x: any) => void} */ hear) => (/** @type {any} */ x) => number === asked.current && hear(x)
    const [large, small = null] = [...others].sort((a, b) => b.bytes.length - a.bytes.length)
    setSteps([])
    setVerdict("Checking …")
    const accepted = await check(first.bytes, large, small, heard((step) => setSteps((before) => [...before, step])), heard(setShare))
    heard(setVerdict)(accepted ? "Accepted: every statement is shown, in exact numbers." : "Rejected: the statement marked ✗ is not shown.")
  }

  /** @param {Iterable<File>} chosen */
  async function take(chosen) {
    const named = await Promise.all([...chosen].map(async (file) => ({name: file.name, bytes: new Uint8Array(await file.arrayBuffer())})))
    const certificates = named.filter(({bytes}) => isCertificate(bytes))
    const others = named.filter((file) => !certificates.includes(file))
    const next = {certificate: certificates.at(-1) ?? certificate, data: others.length ? others : data}
    setFiles(next)
    setSteps([])
    setVerdict(!next.certificate ? "This is no certificate of cdlab: choose one, too." : !next.data.length ? "Now its data: LIBSVM, CSV, TSV, NPZ or NPY." : "")
    if (next.certificate && next.data.length) await begin(next.certificate, next.data)
  }

  const examples = steps.find((step) => step.examples?.length)?.examples
  return (
    <section aria-label="Check a certificate" onDragOver={(event) => event.preventDefault()} onDrop={(event) => {
      event.preventDefault()
      void take(event.dataTransfer?.files ?? [])
    }}>
      <p>How far is a fitted model from the best one, and why believe it? A certificate holds its coefficients w and multipliers alpha, from which anybody can work that out, whatever program found them. Drop one and its data here: they stay in your browser.</p>
      <Roving label="A certificate and its data" class="more proof-files">
        <button onClick={() => input.current?.click()}>Choose files…</button>
        <input ref={input} type="file" multiple hidden aria-label="A certificate and its data" tabIndex={-1} onChange={(event) => void take(event.currentTarget.files ?? [])} />
        {[certificate, ...data].map((file) => file && <b key={file.name}>{file.name}</b>)}
        <span class="soft">Or five rows:</span>
        {EXAMPLES.map(([name, text, rows]) => <button key={name} class="link" onClick={() => {
          const [example, its] = [fileOf("five.cert", text), [fileOf("five.svm", rows)]]
          setFiles({certificate: example, data: its})
          void begin(example, its)
        }}>{name}</button>)}
      </Roving>
      <p role="status"><b>{verdict}</b>{verdict === "Checking …" && share > 0 && <progress value={share} aria-label="Examples that have been read" />}</p>
      <ol class="proof">{steps.map(({statement, words, holds}) => <li key={statement} class={holds ? "" : "false"}><b>{holds ? "✓" : "✗"} {statement}</b><br />{words}</li>)}</ol>
      {examples && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        <div class="scroll" role="group" aria-label="Fenchel's inequality" tabIndex={0}><table>
          <caption>Fenchel's inequality, the first examples: a loss is nowhere below the line of its multiplier. What lies between is their share of the gap; the rest is of the penalty.</caption>
          <thead><tr>{["example", "prediction z", "multiplier α", "loss φ(z)", "line −αz − φ*(−α)"].map((name) => <th key={name} scope="col" class="n">{name}</th>)}</tr></thead>
          <tbody>{examples.map((row, i) => <tr key={String(i)}>{[i + 1, ...row].map((cell, k) => <td key={String(k)} class="n">{cell}</td>)}</tr>)}</tbody>
        </table></div>
      )}
      <p class="s">Trusted are this page, your browser's whole numbers, and that these are the data that were meant. <code>cdlab solve FILE --certificate OUT</code> writes certificates, and <code>cdlab check OUT FILE</code>, or <code>python checker.py OUT FILE</code> without cdlab, says the same of them as this page, also of more than two million nonzeros.</p>
    </section>
  )
}
