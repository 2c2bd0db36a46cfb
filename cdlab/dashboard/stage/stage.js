/* The stage: what is drawn in the browser, and nothing else. It takes data (see contract.js) and knows neither where
   they come from nor what they mean. */

import {element} from "../parts/dom.js"
import {BoundView} from "./bound.js"
import {ClockBar} from "./clock_bar.js"
import {Clock, singles, ticks} from "./clock.js"
import {CurvesView} from "./curves.js"
import {FaceOffView} from "./faceoff.js"
import {MatrixView} from "./matrix.js"
import {PlaneView} from "./plane.js"
import {Strip} from "./strip.js"

/** @import {Stage} from "./contract.js" */

const MOTION = "(prefers-reduced-motion: reduce)"
const DARK = "(prefers-color-scheme: dark)"

/**
 * Make a stage. `node` has all regions, in a grid of its own; `regions` are the same elements, for another grid.
 * `update` takes those parts of the data that changed; `play` shows the race from its start, if motion is wanted.
 * @param {{over?: () => void, ask?: () => void}} [tell] `over`: what `play` began has been seen, it has come to its end
 *   or somebody has taken the clock; `ask`: somebody wants to see what theory says.
 */
export function createStage({over = () => {}, ask = () => {}} = {}) {
  const clock = new Clock(), still = matchMedia(MOTION), dark = matchMedia(DARK)
  const views = {matrix: new MatrixView(), curves: new CurvesView(clock), faceoff: new FaceOffView(ask), bound: new BoundView(), plane: new PlaneView()}
  const bar = new ClockBar(clock, () => still.matches)
  const regions = {
    matrix: views.matrix.node, plane: views.plane.node, curves: views.curves.node, clock: bar.node,
    faceoff: views.faceoff.node, bound: views.bound.node,
  }
  const strip = new Strip({
    convergence: regions.curves, matrix: regions.matrix, "two variables": regions.plane, "face-off": regions.faceoff, bound: regions.bound,
  }, () => still.matches)
  const stage = element("div", {className: "stage"}, strip.node, regions.curves, regions.clock,
    element("div", {className: "left"}, regions.matrix, regions.plane), element("div", {className: "right"}, regions.faceoff, regions.bound))
  strip.follow(stage)
  const node = element("div", {className: "stage-box"}, stage)

  let begun = false // a replay that nobody has seen to its end
  const begin = (/** @type {boolean} */ now) => {
    begun = now
    views.curves.hide(now)
    if (!now) over()
  }
  let before = 0, frame = 0 // 0: no frame has been asked for
  const tick = (/** @type {number} */ now) => {
    clock.advance(Math.min(Math.max(now - before, 0), 100))
    before = now
    frame = clock.playing ? requestAnimationFrame(tick) : 0
  }
  clock.listen(() => {
    views.matrix.words.setAttribute("aria-live", clock.playing ? "off" : "polite")
    views.matrix.move(views.curves.stale.textContent ? [] : views.curves.lanes, clock.passes)
    views.plane.move(clock.tick, clock.position >= clock.last)
    if (begun && !clock.playing) begin(false)
    views.curves.move()
    if (clock.playing && !frame) {
      before = performance.now()
      frame = requestAnimationFrame(tick)
    }
  })

  const recolour = () => {
    views.matrix.recolour()
    views.plane.surface.recolour()
    views.curves.surface.recolour()
  }
  const themes = new MutationObserver(recolour)
  themes.observe(document.documentElement, {attributes: true})
  dark.addEventListener("change", recolour)

  return {
    node,
    regions,
    clock,
    /** @param {Stage} data */
    update(data) {
      if (data.matrix) views.matrix.set(data.matrix)
      if (data.stale !== undefined) views.curves.age(data.stale)
      if (data.waiting !== undefined) for (const view of [views.matrix, views.faceoff, views.bound]) view.node.classList.toggle("waiting", data.waiting)
      if (data.veiled !== undefined) for (const view of [views.faceoff, views.bound]) view.veil(data.veiled)
      if (data.faceoff) views.faceoff.set(data.faceoff)
      if (data.bound) views.bound.set(data.bound)
      if (data.plane !== undefined) views.plane.set(data.plane, Boolean(data.race ?? views.curves.race))
      if (data.race !== undefined) {
        views.curves.set(data.race)
        const lanes = views.curves.lanes
        clock.set(ticks(lanes.filter(({earlier}) => !earlier))) // an earlier race is not waited for
        bar.set(singles(lanes, clock.ticks))
      } else clock.tell()
    },
    play() {
      if (!still.matches && !document.hidden) clock.play()
      else clock.seek(clock.last)
      begin(clock.playing)
    },
    /** To the next update, or pass; from the end to the first update. */
    step() {
      clock.step()
    },
    /** To where all runs have ended. */
    end() {
      clock.seek(clock.last)
    },
    destroy() {
      cancelAnimationFrame(frame)
      clock.playing = false
      themes.disconnect()
      dark.removeEventListener("change", recolour)
      for (const {surface} of [views.matrix, views.plane, views.curves]) surface.destroy()
    },
  }
}
