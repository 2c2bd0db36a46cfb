/* What several components need; it stands before each of them (see scripts.py). */

const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

/* a row of inputs or buttons with a title */
const group = (title, ...children) => {
  const made = element("div", {className: "group"}, element("span", {textContent: title}), ...children)
  made.setAttribute("role", "group")
  made.setAttribute("aria-label", title)
  return made
}

/* a title of "" is none */
const button = (text, title, onclick) => {
  const made = element("button", {type: "button", textContent: text, onclick})
  if (title) made.title = title
  return made
}

/* hand the person a file */
const hand = (blob, filename) => {
  const link = element("a", {href: URL.createObjectURL(blob), download: filename})
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60000)
}
