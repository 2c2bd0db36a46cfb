/* Making elements. */

/**
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node | string)} children
 * @returns {any}
 */
export const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

/**
 * An element of an SVG picture; attributes, as it has few properties.
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 */
export const drawing = (tag, attributes = {}, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  made.append(...children)
  return made
}

/**
 * A row of inputs or buttons with a title.
 * @param {string} title
 * @param {...(Node | string)} children
 */
export const group = (title, ...children) => {
  const made = element("div", {className: "group"}, element("span", {textContent: title}), ...children)
  made.setAttribute("role", "group")
  made.setAttribute("aria-label", title)
  return made
}

/**
 * A title of "" is none.
 * @param {string} text
 * @param {string} title
 * @param {() => void} onclick
 */
export const button = (text, title, onclick) => {
  const made = element("button", {type: "button", textContent: text, onclick})
  if (title) made.title = title
  return made
}

/**
 * Text with the letters of the face-off set as they are written: C_P as C with a small P below.
 * @param {string} text
 */
export const marked = (text) => text.split(/\b([CTKW]_[PD])\b/).map((part, k) =>
  (k % 2 ? element("span", {}, part[0], element("sub", {textContent: part[2]})) : part))

/**
 * Hand the person a file.
 * @param {Blob} blob
 * @param {string} filename
 */
export const hand = (blob, filename) => {
  const link = element("a", {href: URL.createObjectURL(blob), download: filename})
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60000)
}
