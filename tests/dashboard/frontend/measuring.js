// Shows the page and says how its formulas are set: boxes of fractions and indices, sizes, and who goes over the edge.
import {mount, recordedEngine} from "/page.js"

const page = document.getElementById("page")
await mount(page, recordedEngine(await (await fetch("/recorded.json")).json()))
while (!page.querySelector(".why b")) await new Promise((resolve) => setTimeout(resolve, 50))
await new Promise((resolve) => setTimeout(resolve, 300))

const box = (element) => (({top, bottom, left, right}) => ({top, bottom, left, right}))(element.getBoundingClientRect())
const found = [...page.querySelectorAll("math")].filter((each) => each.getClientRects().length).map((math) => ({
  words: math.textContent.replace(/\s+/g, ""),
  box: box(math),
  room: box(math.closest("section")),
  fractions: [...math.querySelectorAll("mfrac")].map((each) => [...each.children].map(box)),
  indices: [...math.querySelectorAll("msub")].map((each) => [...each.children].map(box)),
  size: Math.min(...[...math.querySelectorAll("mi, mn, mo")].map((each) => parseFloat(getComputedStyle(each).fontSize))),
}))
await fetch("/", {method: "POST", body: JSON.stringify(found)})
