// An engine that repeats recorded answers: for tests, and for work on the page without an engine.

/** @typedef {import("../schema").Question} Question */
/** @typedef {import("../schema").Answer} Answer */
/** @typedef {{question: Partial<Question>, answers: Partial<Answer>[]}} Recording */

/**
 * @param {Recording[]} recordings
 * @param {number} [pause]  milliseconds before each answer
 * @returns {import("../asking").Engine & {asked: Question[]}}
 */
export function recordedEngine(recordings, pause = 1) {
  /** @type {Question[]} */
  const asked = []
  return {
    asked,
    ask(question, onAnswer) {
      asked.push(question)
      if (question.kind === "stop") return
      const found = recordings.find(({question: {kind, choices, drawer}}) =>
        kind === question.kind && (!choices || same(choices, question.choices)) && (drawer ?? "") === question.drawer)
      const answers = found?.answers ?? [{done: true, value: null, error: `No answer to ${question.kind} was recorded for these choices.`}]
      answers.forEach((answer, k) => {
        const whole = {kind: question.kind, done: k === answers.length - 1, value: null, error: "", ...answer, number: question.number}
        setTimeout(() => onAnswer(whole), pause * (k + 1))
      })
    },
  }
}

/** @param {Record<string, any>} recorded @param {Record<string, any> | null} asked */
const same = (recorded, asked) =>
  Object.entries(recorded).every(([name, value]) => JSON.stringify(value) === JSON.stringify(asked?.[name]))
