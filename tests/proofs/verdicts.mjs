// The page's verdict on each of many certificates: [certificate, data, labels] a line of the standard input.
import {readFileSync} from "node:fs"
import {basename} from "node:path"
import {check} from "../../cdlab/dashboard/frontend/bundle/page.js"

const named = (path) => path && {name: basename(path), bytes: new Uint8Array(readFileSync(path))}
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const [certificate, data, labels] = JSON.parse(line).map(named)
  const steps = []
  const accepted = await check(certificate.bytes, data, labels ?? null, (step) => steps.push(step))
  console.log(JSON.stringify({accepted, told: steps.length, last: steps.at(-1)}))
}
