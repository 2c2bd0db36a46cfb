/* The stage as a component of Panel: parts of the data arrive as JSON, each under its own name. */

import {PARTS} from "./contract.js"
import {createStage} from "./stage.js"

/** @param {{model: any}} component */
export function render({model}) {
  const stage = createStage({over: () => model.send_msg({over: true}), ask: () => model.send_msg({ask: true})})
  const part = (/** @type {string} */ name) => (model[name] ? {[name]: JSON.parse(model[name])} : {})
  stage.update(Object.assign({}, ...PARTS.map(part)))
  for (const name of PARTS) model.on(name, () => stage.update(part(name)))
  if (model.plays) stage.play()
  model.on("plays", () => stage.play())
  model.on("msg:custom", (/** @type {{go: "step" | "end"}} */ {go}) => stage[go]())
  model.on("remove", () => stage.destroy())
  return stage.node
}
