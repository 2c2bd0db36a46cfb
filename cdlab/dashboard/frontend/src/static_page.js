// The page without a server: its engine is a Worker, its files lie beside it or in it.
import {workerEngine} from "./engines/worker.js"

/** @typedef {import("./asking").Engine} Engine */

/**
 * The engine of a page that stands alone. Such a page has `<script id="worker">`, with an address or with the Worker's
 * own text, and of a page that is one file also `<script type="application/gzip" data-file="NAME">` in base64.
 * @returns {Engine}
 */
export function standingEngine() {
  const script = /** @type {HTMLScriptElement} */ (document.getElementById("worker"))
  const address = script.dataset.address ?? URL.createObjectURL(new Blob([script.text], {type: "text/javascript"}))
  const inside = /** @type {HTMLScriptElement[]} */ ([...document.querySelectorAll("script[data-file]")])
  const files = inside.map(({dataset, text}) => [dataset.file, Uint8Array.from(atob(text), (each) => each.charCodeAt(0))])
  const worker = new Worker(address)
  worker.postMessage({kind: "start", base: document.baseURI, files: Object.fromEntries(files)})
  return workerEngine(worker)
}
