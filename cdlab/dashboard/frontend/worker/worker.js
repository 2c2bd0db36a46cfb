/* The engine in a Worker: it is told where its files are, then asked questions; a reader's file stays here. */

import {load} from "../wasm/index.js"
import {answerer} from "./answering.js"
import {takeFile, unpacked} from "./files.js"
import {site} from "./site.js"

/** @type {Promise<void>} */
let ready
/** @type {ReturnType<typeof answerer>} */
const answer = answerer((each) => postMessage(each))

/** @param {{base: string, files: Record<string, Uint8Array<ArrayBuffer>>}} where the files, or the folder that they are in */
async function start({base, files}) {
  site.read = async (name) => {
    if (files[name]) return unpacked(new Response(files[name]).body).arrayBuffer() // no Blob: WebKit cannot read one here
    const found = await fetch(new URL(name, base))
    if (!found.ok) throw new Error(`${name} is not there: the page is not whole`)
    return found.arrayBuffer()
  }
  const json = async (/** @type {string} */ name) => JSON.parse(new TextDecoder().decode(await site.read(name)))
  const [wasm, kernels, theory, page] = await Promise.all([site.read("kernels.wasm"), json("kernels.json"), json("bounds.json"), json("page.json")])
  Object.assign(site, page, {theory, lab: await load(wasm, kernels)})
}

addEventListener("message", async ({data}) => {
  if (data.kind === "start") ready = start(data)
  else if (data.kind === "file") postMessage({kind: "file", ...(await ready.then(() => takeFile(data.file, data.label ?? null)))})
  else {
    try {
      await ready
    } catch (error) {
      return postMessage({number: data.number, kind: data.kind, done: true, value: null, error: String(error)})
    }
    await answer(data)
  }
})
