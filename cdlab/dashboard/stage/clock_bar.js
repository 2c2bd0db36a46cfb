/* The clock as a row of controls: Play or Pause, Step, the speed, and the playhead. */

import {button, element} from "../parts/dom.js"
import {term} from "../parts/explain.js"
import {PASSES} from "../parts/terms.js"
import {SPEEDS} from "./clock.js"
import {counted, number} from "./formats.js"

/** @import {Clock} from "./clock.js" */

const TELL = 80 // ms between two texts while the clock goes

export class ClockBar {
  /**
   * @param {Clock} clock
   * @param {() => boolean} still Whether the person asked for less motion: then Play leads to the end at once.
   */
  constructor(clock, still) {
    this.clock = clock
    this.singles = 0
    this.told = 0 // when it last said where the clock stands
    this.playing = button("Play", "", () => {
      if (clock.playing) clock.pause()
      else if (still()) clock.seek(clock.last)
      else clock.play()
    })
    this.playing.className = "play"
    this.stepping = button("Step", "The next update, or pass", () => clock.step())
    this.speeds = SPEEDS.map((speed) => button(speed, "", () => {
      clock.speed = speed
      clock.tell()
    }))
    const speeds = element("div", {className: "speeds"}, ...this.speeds)
    speeds.setAttribute("role", "group")
    speeds.setAttribute("aria-label", "Speed")
    this.head = element("input", {type: "range", min: 0, max: 0, step: 1, value: 0, className: "head"})
    this.head.setAttribute("aria-label", "Playhead")
    this.head.oninput = () => {
      clock.playing = false
      clock.seek(Number(this.head.value))
    }
    this.number = element("span", {})
    this.unit = term("passes", PASSES.passes)
    this.rest = element("span", {className: "rest"})
    this.said = element("output", {className: "said"}, this.number, " ", this.unit, this.rest)
    // a mark on the track where single updates end
    this.mark = element("option", {value: 0})
    const marks = element("datalist", {id: "cdlab-singles"}, this.mark)
    this.head.setAttribute("list", marks.id)
    const buttons = element("div", {className: "buttons"}, this.playing, this.stepping, this.said, speeds)
    this.node = element("section", {className: "clock"}, this.head, marks, buttons)
    this.node.setAttribute("aria-label", "Clock")
    clock.listen(() => this.show())
    this.show()
  }

  /** @param {number} singles How many ticks show single updates. */
  set(singles) {
    this.singles = singles
    this.mark.value = String(singles - 1)
    this.show()
  }

  show() {
    const {clock} = this, words = this.words()
    this.playing.textContent = clock.playing ? "Pause" : "Play"
    this.playing.disabled = this.stepping.disabled = this.head.disabled = clock.last === 0
    this.head.max = String(clock.last)
    this.head.value = String(clock.tick)
    if (clock.playing && performance.now() - this.told < TELL) return
    this.told = performance.now()
    this.head.setAttribute("aria-valuetext", words)
    this.say()
    for (const each of this.speeds) each.setAttribute("aria-pressed", String(each.textContent === clock.speed))
  }

  /** Where the clock stands, in words; the unit explains itself. */
  say() {
    const {clock} = this, {passes, unit, rest} = this.parts(), [word] = this.unit.children
    this.unit.hidden = clock.last === 0
    for (const [node, text] of [[this.number, passes], [word, unit], [this.rest, rest]]) {
      if (node.textContent !== text) node.textContent = text
    }
  }

  words() {
    const {passes, unit, rest} = this.parts()
    return [passes, unit].filter(Boolean).join(" ") + rest
  }

  parts() {
    const {clock} = this
    if (clock.last === 0) return {passes: "nothing has run", unit: "", rest: ""}
    const passes = Math.abs(clock.passes) < 1 ? number(clock.passes, 2) : number(Number(clock.passes.toFixed(1)), 4)
    const unit = counted(clock.passes, "pass").split(" ").at(-1) ?? ""
    return {passes, unit, rest: clock.tick > 0 && clock.tick < this.singles ? ", one by one" : ""}
  }
}
