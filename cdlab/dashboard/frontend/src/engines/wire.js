// An engine at the other end of a wire: what is asked has a number, by which answers find who asked.

/** @typedef {import("../asking").OnAnswer} OnAnswer */

/**
 * @param {(message: any) => void} send  a question, or a file
 * @param {(file: File) => any} fileMessage  what is sent of a reader's file, or a promise of it
 * @returns {import("../asking").Engine & {hear: (answer: any) => void, fail: (error: string) => void}}
 */
export function wire(send, fileMessage) {
  /** @type {Map<number, OnAnswer>} */
  const waiting = new Map()
  /** @type {((answer: any) => void)[]} */
  const files = []
  return {
    ask(question, onAnswer) {
      if (question.kind === "stop") waiting.delete(question.number)
      else waiting.set(question.number, onAnswer)
      send(question)
    },
    async take(file, label) {
      const message = await fileMessage(file)
      const answer = await new Promise((resolve) => {
        files.push(resolve)
        send({kind: "file", ...message, label})
      })
      return {choices: answer.value ?? null, words: answer.error || answer.words, columns: answer.columns ?? [], label: answer.label ?? null}
    },
    hear(answer) {
      if (answer.kind === "file") return files.shift()?.(answer)
      waiting.get(answer.number)?.(answer)
      if (answer.done || answer.error) waiting.delete(answer.number)
    },
    fail(error) {
      for (const [number, onAnswer] of waiting) onAnswer({number, kind: "", done: true, value: null, error})
      waiting.clear()
    },
  }
}
