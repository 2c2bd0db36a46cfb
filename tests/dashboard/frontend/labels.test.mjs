import assert from "node:assert/strict"
import {readFileSync} from "node:fs"
import {test} from "node:test"
import {faults} from "./labels.mjs"

const recordings = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url)))
const last = (kind) => recordings.filter(({question}) => question.kind === kind).map(({answers}) => answers.at(-1).value)

test("no label is on another or beyond the edge, and what matters has one", () => {
  const [[prediction], [race, before]] = [last("predict"), last("race")]
  assert.deepEqual(faults({prediction, race, before: null, target: 1e-6, axis: "passes"}), [])
  assert.deepEqual(faults({prediction, race, before, target: 1e-6, axis: "passes"}), [])
})
