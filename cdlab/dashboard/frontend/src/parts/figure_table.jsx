// The figure in words, for those who do not see it: a sentence and a table.
import {usePage} from "./page_context.js"
import {gapAt} from "../curves.js"
import {decades} from "../scales.js"
import {listed, passes, power, share} from "../words.js"

export function FigureTable() {
  const {series, veiled, fresh, outcome, target, axis, predicted, inUnit} = usePage()
  if (veiled.value) return <p class="hidden">The curves are hidden until you guess.</p>
  if (!fresh.value || !outcome.value) return <p class="hidden">There are no curves for these choices yet.</p>
  const unit = axis.value === "passes" ? "passes" : "rounds"
  const all = series.value
  const bound = (/** @type {string} */ label) => {
    const value = predicted.value?.theorems.find((each) => each.label === label)?.value ?? null
    return value === null ? value : inUnit(label, value)
  }
  return (
    <div class="hidden">
      <p>The gap falls from 1 to {power(target.value)}: {listed(all.map((each) => each.reached === null ? `${each.label} is at ${share(gapAt(each, each.last), target.value)} after ${passes(each.last)} ${unit}` : `${each.label} after ${passes(each.reached)} ${unit}`))}.</p>
      <table>
        <caption>{unit} until the relative gap is reached</caption>
        <thead><tr><th scope="col">gap</th>{all.map((each) => <th scope="col" key={each.label}>{each.label}</th>)}</tr></thead>
        <tbody>
          {decades(target.value).map((gap) => (
            <tr key={gap}><th scope="row">{power(gap)}</th>{all.map((each) => <td key={each.label}>{passes(each.x[each.gap.findIndex((one) => one <= gap * 1.0001)] ?? null)}</td>)}</tr>
          ))}
          <tr><th scope="row">bound at the target</th>{all.map((each) => <td key={each.label}>{passes(bound(each.label))}</td>)}</tr>
        </tbody>
      </table>
    </div>
  )
}
