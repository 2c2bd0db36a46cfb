// The problem of both sides in MathML. w is orange, α blue, everywhere.

import {SymbolTerm} from "./term.jsx"

const FLAT = /** @type {any} */ ({stretchy: "false"}) // as text: Preact leaves out what is false
const W = () => <mi class="p">w</mi>
const A = () => <mi class="d">α</mi>
/** @param {{i?: string, children?: any}} props */
const Sub = ({i = "i", children}) => <msub><mrow>{children}</mrow><mi>{i}</mi></msub>
const Sum = () => <Sub><mo>∑</mo></Sub>
const Bar = () => <mo {...FLAT}>‖</mo>
/** @param {{children: any}} props */
const Norm2 = ({children}) => <mrow><Bar />{children}<msup><Bar /><mn>2</mn></msup></mrow>
/** @param {{children: any}} props */
const Paren = ({children}) => <mrow><mo {...FLAT}>(</mo>{children}<mo {...FLAT}>)</mo></mrow>
const Half = () => <mfrac><SymbolTerm name="λ" /><mn>2</mn></mfrac>
const OverN = () => <mfrac><mn>1</mn><mi>n</mi></mfrac>

/** @param {{l1: number}} props */
export const PrimalFormula = ({l1}) => (
  <math aria-label={`P of w is the mean of phi i of x i dot w, plus lambda half times the squared norm of w${l1 ? ", plus lambda one times the one-norm of w" : ""}`}>
    <mi>P</mi><Paren><W /></Paren><mo>=</mo><OverN /><Sum /><Sub><SymbolTerm name="φ" /></Sub>
    <Paren><Sub><mi>x</mi></Sub><mo>·</mo><W /></Paren><mo>+</mo><Half /><Norm2><W /></Norm2>
    {l1 > 0 && <><mo>+</mo><Sub i="1"><mi>λ</mi></Sub><Sub i="1"><mrow><Bar /><W /><Bar /></mrow></Sub></>}
  </math>
)

export const DualFormula = () => (
  <math aria-label="D of alpha is minus the mean of the conjugate phi star i of minus alpha i, minus lambda half times the squared norm of w of alpha">
    <mi>D</mi><Paren><A /></Paren><mo>=</mo><mo>−</mo><OverN /><Sum /><msubsup><SymbolTerm name="φ*">φ</SymbolTerm><mi>i</mi><mo>*</mo></msubsup>
    <Paren><mo>−</mo><Sub><A /></Sub></Paren><mo>−</mo><Half /><Norm2><mi class="p">w</mi><Paren><A /></Paren></Norm2>
  </math>
)

/** @param {{l1: number}} props */
export const MapFormula = ({l1}) => (
  <math aria-label={`w of alpha is the sum of alpha i times x i over lambda n${l1 ? ", soft-thresholded" : ""}`}>
    <mi class="p">w</mi><Paren><A /></Paren><mo>=</mo>{l1 > 0 && <mi>soft</mi>}
    <mfrac><mn>1</mn><mrow><mi>λ</mi><mi>n</mi></mrow></mfrac><Sum /><Sub><A /></Sub><Sub><mi>x</mi></Sub>
  </math>
)
