// Builds the bundle: one ES module with words and styles, and the hash of what it was built from.
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

await build({
  entryPoints: [`${here}src/main.jsx`], outfile: process.argv[2] ?? `${here}bundle/page.js`, bundle: true, minify: true, format: "esm",
  target: "es2022", jsx: "automatic", jsxImportSource: "preact", plugins: [styles], legalComments: "none", charset: "utf8", absWorkingDir: here,
})

if (!process.argv[2]) {
  const sources = readdirSync(`${here}src`, {recursive: true, withFileTypes: true}).filter((each) => each.isFile() && !each.name.endsWith(".d.ts")).map((each) => `${each.parentPath}/${each.name}`.slice(here.length))
  const hash = createHash("sha256")
  for (const name of [...sources, "build.mjs", "package-lock.json"].sort()) hash.update(name).update(readFileSync(here + name))
  writeFileSync(`${here}bundle/sources.sha256`, `${hash.digest("hex")}\n`)
}
