// The figure as a file: what is drawn, with what is said of it, the legend and the choices; readable without the page.

const SVG = "http://www.w3.org/2000/svg"
const MARGIN = 20
const SHARPNESS = 2 // pixels of a PNG to one of the screen
const LOOKS = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "paint-order", "font-family", "font-size", "font-weight", "font-style"]

/** A copy that looks the same without style sheets. @param {Element} drawn @returns {Element} */
function copyOf(drawn) {
  const copy = /** @type {Element} */ (drawn.cloneNode(true))
  const [from, to] = [drawn, copy].map((each) => [each, ...each.querySelectorAll("*")])
  from.forEach((each, k) => {
    const style = getComputedStyle(each)
    for (const name of LOOKS) to[k].setAttribute(name, style.getPropertyValue(name))
    to[k].removeAttribute("class")
  })
  return copy
}

/** @param {string} name @param {Record<string, string | number>} attributes @param {string} [text] */
function element(name, attributes, text = "") {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  made.textContent = text
  return made
}

/** Lines that fit. @param {string} text @param {number} width @param {string} font */
function wrapped(text, width, font) {
  const context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"))
  context.font = font
  /** @type {string[]} */
  const lines = []
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = `${lines.at(-1) ?? ""} ${word}`.trim()
    if (lines.length && context.measureText(longer).width <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/**
 * The figure of a page as SVG.
 * @param {Element} screen  what shows it
 * @param {{title: string, words: string[]}} caption  above it, and paragraphs below it
 * @returns {SVGElement | null} null where no figure is shown
 */
export function pictureOf(screen, {title, words}) {
  const figure = screen.querySelector(".figure")
  const drawn = figure?.querySelector(".canvas > svg")
  if (!figure || !drawn) return null
  const [width, height] = ["width", "height"].map((name) => Number(drawn.getAttribute(name)))
  const {color, backgroundColor, fontFamily} = getComputedStyle(screen)
  const put = {fill: color, "font-family": fontFamily, x: MARGIN}
  const picture = element("svg", {xmlns: SVG})
  let y = MARGIN
  const write = (/** @type {string} */ text, /** @type {number} */ size, /** @type {number} */ weight) => {
    for (const line of wrapped(text, width, `${weight} ${size}px ${fontFamily}`)) {
      y += size + 5
      picture.append(element("text", {...put, y, "font-size": size, "font-weight": weight}, line))
    }
  }
  write(title, 18, 700)
  y += 12
  const body = element("g", {transform: `translate(${MARGIN} ${y})`})
  const zoom = figure.getBoundingClientRect().width / width // of Present
  const {left, top} = figure.getBoundingClientRect()
  body.append(copyOf(drawn))
  for (const item of figure.querySelectorAll(".legend span")) {
    const [stroke, at] = [/** @type {Element} */ (item.querySelector("svg")), item.getBoundingClientRect()]
    const place = {x: (at.left - left) / zoom, y: (at.top - top) / zoom}
    const sign = element("g", {transform: `translate(${place.x} ${place.y + 5})`})
    sign.append(copyOf(stroke))
    body.append(sign, element("text", {...put, x: place.x + 26, y: place.y + 13.5, "font-size": 13}, item.textContent?.trim()))
  }
  picture.append(body)
  y += height + 10
  for (const paragraph of words) write(paragraph, 13, 400)
  const size = {width: width + 2 * MARGIN, height: y + MARGIN}
  for (const [name, value] of Object.entries(size)) picture.setAttribute(name, String(value))
  picture.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`)
  picture.prepend(element("title", {}, title), element("rect", {...size, fill: backgroundColor}))
  return picture
}

/** Give the reader the picture as a file, "cdlab.svg" or "cdlab.png". @param {SVGElement} picture @param {"svg" | "png"} kind */
export async function save(picture, kind) {
  const vector = new Blob([new XMLSerializer().serializeToString(picture)], {type: "image/svg+xml"})
  download(kind === "svg" ? vector : await pixels(vector, picture), `cdlab.${kind}`)
}

/** @param {Blob} vector @param {SVGElement} picture @returns {Promise<Blob>} */
async function pixels(vector, picture) {
  const address = await new Promise((resolve) => { // a picture of a blob's address may not be read again everywhere
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result)
    reader.readAsDataURL(vector)
  })
  const image = new Image()
  image.src = address
  await image.decode()
  const canvas = document.createElement("canvas")
  canvas.width = SHARPNESS * Number(picture.getAttribute("width"))
  canvas.height = SHARPNESS * Number(picture.getAttribute("height"))
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser could not draw the picture."))), "image/png"))
}

/** @param {Blob} blob @param {string} name */
function download(blob, name) {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
