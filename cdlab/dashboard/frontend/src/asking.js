// Questions get numbers; a newer question of a kind makes answers to the older ones void.

/** @typedef {import("./schema").Question} Question */
/** @typedef {import("./schema").Answer} Answer */
/** @typedef {(answer: Answer) => void} OnAnswer */
/**
 * @typedef {object} FileRead
 * @property {Record<string, any> | null} choices  that race on the file; null: it cannot be read
 * @property {string} words  what was read, or why it cannot be
 * @property {string[]} columns  of a table
 * @property {number | null} label  which of them is the label
 */
/**
 * @typedef {object} Engine
 * @property {(question: Question, onAnswer: OnAnswer) => void} ask
 * @property {(file: File, label: number | null) => Promise<FileRead>} [take]  a reader's file, whose label stands in that column
 */

/** @param {Engine} engine */
export function asker(engine) {
  let last = 0
  /** @type {Record<string, number>} */
  const open = {}
  return {
    /**
     * Ask; all answers but the last go to `onPiece`. The promise is kept by the last one, and never if a newer question
     * of the kind came between.
     * @param {Question["kind"]} kind @param {Partial<Question>} [more] @param {OnAnswer} [onPiece]
     * @returns {Promise<Answer>}
     */
    ask(kind, more = {}, onPiece = () => {}) {
      const number = ++last
      open[kind] = number
      return new Promise((resolve) =>
        engine.ask({choices: null, draws: 1, drawer: "", ...more, kind, number}, (answer) => {
          if (open[kind] !== answer.number) return
          if (answer.done || answer.error) resolve(answer)
          else onPiece(answer)
        }),
      )
    },
    /** Let the engine stop what it does for a kind. @param {Question["kind"]} kind */
    stop(kind) {
      if (!open[kind]) return
      engine.ask({number: open[kind], kind: "stop", choices: null, draws: 1, drawer: ""}, () => {})
      delete open[kind]
    },
  }
}
