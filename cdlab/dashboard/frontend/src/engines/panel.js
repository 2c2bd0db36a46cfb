// The Python engine: questions and answers are messages of a Panel JSComponent.

/** @typedef {import("../asking").OnAnswer} OnAnswer */

/**
 * @param {{send_msg: (message: any) => void, on: (name: string, heard: (message: any) => void) => void}} model
 * @returns {import("../asking").Engine}
 */
export function panelEngine(model) {
  /** @type {Map<number, OnAnswer>} */
  const waiting = new Map()
  /** @type {((answer: any) => void)[]} */
  const files = []
  model.on("msg:custom", (message) => {
    const answer = message.data ?? message
    if (answer.kind === "file") return files.shift()?.(answer)
    waiting.get(answer.number)?.(answer)
    if (answer.done || answer.error) waiting.delete(answer.number)
  })
  return {
    ask(question, onAnswer) {
      if (question.kind === "stop") waiting.delete(question.number)
      else waiting.set(question.number, onAnswer)
      model.send_msg(question)
    },
    async take(file) {
      const bytes = await file.arrayBuffer()
      const answer = await new Promise((resolve) => {
        files.push(resolve)
        model.send_msg({kind: "file", name: file.name, bytes})
      })
      if (answer.error) throw new Error(answer.error)
      return {choices: answer.value, words: answer.words ?? ""}
    },
  }
}
