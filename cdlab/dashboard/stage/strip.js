/* On a phone the regions stand side by side in a strip: dots under it say at which one is, and lead to the others. */

import {button, element} from "../parts/dom.js"

export class Strip {
  /**
   * @param {Record<string, HTMLElement>} regions By the names that are said.
   * @param {() => boolean} still Whether the person asked for less motion.
   */
  constructor(regions, still) {
    this.regions = Object.values(regions)
    this.dots = Object.entries(regions).map(([name, region]) => {
      const dot = button("", name, () => region.scrollIntoView({inline: "start", block: "nearest", behavior: still() ? "auto" : "smooth"}))
      dot.setAttribute("aria-label", `Show ${name}`)
      return dot
    })
    this.node = element("nav", {className: "dots"}, ...this.dots)
    this.node.setAttribute("aria-label", "Regions")
    this.mark(0)
  }

  /**
   * Follow a strip that is swiped.
   * @param {HTMLElement} strip
   */
  follow(strip) {
    strip.addEventListener("scroll", () => {
      const from = strip.getBoundingClientRect().left
      const away = this.regions.map((region) => Math.abs(region.getBoundingClientRect().left - from))
      const end = strip.scrollLeft + strip.clientWidth >= strip.scrollWidth - 2 // the last one cannot stand at the left
      this.mark(end ? this.dots.length - 1 : away.indexOf(Math.min(...away)))
    }, {passive: true})
  }

  /** @param {number} here */
  mark(here) {
    for (const [k, dot] of this.dots.entries()) {
      if (k === here) dot.setAttribute("aria-current", "true")
      else dot.removeAttribute("aria-current")
    }
  }
}
