// The WebAssembly engine: questions and answers are messages of a Worker.
import {wire} from "./wire.js"

/** @param {Worker} worker @returns {import("../asking").Engine} */
export function workerEngine(worker) {
  const engine = wire((message) => worker.postMessage(message), (file) => ({file}))
  worker.addEventListener("message", ({data}) => engine.hear(data))
  worker.addEventListener("error", ({message}) => engine.fail(`The engine of the page has failed: ${message}`))
  return engine
}
