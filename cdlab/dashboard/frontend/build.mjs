// Builds the bundles: the page as one ES module with words and styles, its Worker, and the hash of what they were built from.
import {createHash} from "node:crypto"
import {readFileSync, readdirSync, writeFileSync} from "node:fs"
import {build, transform} from "esbuild"

const here = new URL(".", import.meta.url).pathname

/** Styles as text, made small; files that they import are put in. */
const styles = {
  name: "styles",
  setup(setup) {
    setup.onLoad({filter: /\.css$/}, async ({path}) => {
      const folder = path.slice(0, path.lastIndexOf("/") + 1)
      const whole = readFileSync(path, "utf8").replace(/@import "\.\/(.*)";/g, (_, name) => readFileSync(folder + name, "utf8"))
      const {code} = await transform(whole, {loader: "css", minify: true})
      return {contents: code, loader: "text"}
    })
  },
}

const out = process.argv[2] ?? `${here}bundle`
const options = {bundle: true, minify: true, target: "es2022", legalComments: "none", charset: "utf8", absWorkingDir: here}
await build({...options, entryPoints: [`${here}src/main.jsx`], outfile: `${out}/page.js`, format: "esm", jsx: "automatic", jsxImportSource: "preact", plugins: [styles]})
await build({...options, entryPoints: [`${here}worker/worker.js`], outfile: `${out}/worker.js`, format: "iife"})

if (!process.argv[2]) {
  const sources = ["src", "wasm", "worker", "checker"].flatMap((folder) => readdirSync(here + folder, {recursive: true, withFileTypes: true}))
    .filter(({name}) => /\.(jsx?|css)$/.test(name)).map((each) => `${each.parentPath}/${each.name}`.slice(here.length))
  const hash = createHash("sha256")
  for (const name of [...sources, "build.mjs", "package-lock.json"].sort()) hash.update(name).update(readFileSync(here + name))
  writeFileSync(`${out}/sources.sha256`, `${hash.digest("hex")}\n`)
}
