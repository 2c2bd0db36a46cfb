import assert from "node:assert/strict"
import {test} from "node:test"
import {asker} from "../../../cdlab/dashboard/frontend/src/asking.js"
import {panelEngine} from "../../../cdlab/dashboard/frontend/src/engines/panel.js"
import {recordedEngine} from "../../../cdlab/dashboard/frontend/src/engines/recorded.js"
import {workerEngine} from "../../../cdlab/dashboard/frontend/src/engines/worker.js"

test("a newer question of a kind makes the older one void, and no other", async () => {
  const waiting = []
  const {ask} = asker({ask: (question, onAnswer) => waiting.push({question, onAnswer})})
  const heard = []
  for (const kind of ["race", "predict", "race"]) void ask(kind).then((answer) => heard.push([kind, answer.number]))
  for (const {question, onAnswer} of waiting) onAnswer({number: question.number, kind: question.kind, done: true, value: null, error: ""})
  await new Promise((resolve) => setTimeout(resolve, 1))
  assert.deepEqual(heard, [["predict", 2], ["race", 3]])
})

test("pieces of a stream are told one by one, and nothing after a stop", async () => {
  const engine = recordedEngine([{question: {kind: "race"}, answers: [{value: 1}, {value: 2}, {value: 3}]}])
  const {ask, stop} = asker(engine)
  const pieces = []
  assert.equal((await ask("race", {}, ({value}) => pieces.push(value))).value, 3)
  assert.deepEqual(pieces, [1, 2])
  void ask("race", {}, () => assert.fail("it was stopped"))
  stop("race")
  await new Promise((resolve) => setTimeout(resolve, 10))
  assert.deepEqual(engine.asked.map(({kind}) => kind), ["race", "race", "stop"])
})

test("what was not recorded is an error in a sentence", async () => {
  const {ask} = asker(recordedEngine([{question: {kind: "predict", choices: {n: 1}}, answers: [{value: 1}]}]))
  assert.match((await ask("predict", {choices: {n: 2}})).error, /was recorded/)
  assert.equal((await ask("predict", {choices: {n: 1}})).value, 1)
})

const question = {number: 7, kind: "predict", choices: {}, draws: 1, drawer: ""}
const answer = {number: 7, kind: "predict", done: true, value: null, error: ""}

test("Panel and a Worker carry questions there and answers back", () => {
  const heard = []
  let panel
  const sent = []
  panelEngine({send_msg: (message) => sent.push(message), on: (_, listen) => (panel = listen)}).ask(question, (one) => heard.push(one))
  panel({...answer, number: 6})
  panel(answer)
  const worker = Object.assign(new EventTarget(), {postMessage: (message) => sent.push(message)})
  workerEngine(worker).ask(question, (one) => heard.push(one))
  worker.dispatchEvent(Object.assign(new Event("message"), {data: answer}))
  assert.deepEqual(heard, [answer, answer])
  assert.deepEqual(sent, [question, question])
})
