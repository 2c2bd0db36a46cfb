// A button: the figure as a file, for slides (PNG) and for papers (SVG).
import {pictureOf, save} from "../picture.js"
import {usePage} from "./page_context.js"
import {count, dataWords, weight} from "../words.js"

/** @param {{kind: "png" | "svg", class?: string, children: string}} props */
export function SavePicture({kind, class: className = "", children}) {
  const page = usePage()
  const {catalog, choices, fresh, veiled, outcome, state, predicted} = page
  const {loss, methods, primal_sampling: primal, dual_sampling: dual} = choices.value
  const off = !fresh.value || veiled.value || ["matrix", "theorem"].includes(state.value.slide)
  const take = async (/** @type {MouseEvent} */ event) => {
    if (off) return
    const screen = /** @type {Element} */ (/** @type {Element} */ (event.currentTarget).closest(".screen"))
    const [said, why] = [".out", ".why"].map((name) => screen.querySelector(`.voice ${name}`)?.textContent?.trim() ?? "")
    const draws = outcome.value ? `medians of ${page.race.value?.draws} draws` : "one draw"
    const matrix = predicted.value?.matrix
    const race = `${dataWords(catalog, choices.value)}${matrix ? `, ${count(matrix.rows)} × ${count(matrix.columns)}` : ""}; ${loss.replaceAll("_", " ")} loss, λ = ${weight(choices.value)}; ${methods.join(" against ").replace(/@(\w+)/g, " ($1)")}, ${(primal === dual ? primal : `${primal} and ${dual}`).replaceAll("_", " ")} draws; ${draws}. cdlab ${catalog.version}`
    const picture = pictureOf(screen, {title: said, words: [why, race].filter(Boolean)})
    try {
      if (picture) await save(picture, kind)
    } catch (error) {
      page.say(`The picture could not be saved: ${error instanceof Error ? error.message : error}`)
    }
  }
  return <button class={className} aria-disabled={off} aria-label={`${children}: the picture as ${kind.toUpperCase()}`} onClick={(event) => void take(event)}>{children}</button>
}
