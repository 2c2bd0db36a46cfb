// The Python engine: questions and answers are messages of a Panel JSComponent.
import {wire} from "./wire.js"

/**
 * @param {{send_msg: (message: any) => void, on: (name: string, heard: (message: any) => void) => void}} model
 * @returns {import("../asking").Engine}
 */
export function panelEngine(model) {
  const engine = wire((message) => model.send_msg(message), async (file) => ({name: file.name, bytes: await file.arrayBuffer()}))
  model.on("msg:custom", (message) => engine.hear(message.data ?? message))
  return engine
}
