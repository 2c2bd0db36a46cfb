// The WebAssembly engine: questions and answers are messages of a Worker.

/** @typedef {import("../asking").OnAnswer} OnAnswer */

/** @param {Worker} worker @returns {import("../asking").Engine} */
export function workerEngine(worker) {
  /** @type {Map<number, OnAnswer>} */
  const waiting = new Map()
  /** @type {((answer: any) => void)[]} */
  const files = []
  worker.addEventListener("message", ({data: answer}) => {
    if (answer.kind === "file") return files.shift()?.(answer)
    waiting.get(answer.number)?.(answer)
    if (answer.done || answer.error) waiting.delete(answer.number)
  })
  worker.addEventListener("error", (event) => {
    for (const [number, onAnswer] of waiting)
      onAnswer({number, kind: "", done: true, value: null, error: `The engine of the page has failed: ${event.message}`})
    waiting.clear()
  })
  return {
    ask(question, onAnswer) {
      if (question.kind === "stop") waiting.delete(question.number)
      else waiting.set(question.number, onAnswer)
      worker.postMessage(question)
    },
    async take(file) {
      const answer = await new Promise((resolve) => {
        files.push(resolve)
        worker.postMessage({kind: "file", file})
      })
      if (answer.error) throw new Error(answer.error)
      return {choices: answer.value, words: answer.words ?? ""}
    },
  }
}
