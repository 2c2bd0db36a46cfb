// The problem of both sides in MathML. w is orange, α blue, everywhere.

import {SymbolTerm} from "./term.jsx"

const FLAT = /** @type {any} */ ({stretchy: "false"}) // as text: Preact leaves out what is false
const W = () => <SymbolTerm name="w" class="p" />
const A = () => <SymbolTerm name="α" class="d" />
/** @param {{i?: string, children?: any}} props */
const Sub = ({i = "i", children}) => <msub><mrow>{children}</mrow><mi>{i}</mi></msub>
const Sum = () => <Sub><mo>∑</mo></Sub>
const Bar = () => <mo {...FLAT}>‖</mo>
/** @param {{children: any}} props */
const Norm2 = ({children}) => <mrow><Bar />{children}<msup><Bar /><mn>2</mn></msup></mrow>
/** @param {{children: any}} props */
const Paren = ({children}) => <mrow><mo {...FLAT}>(</mo>{children}<mo {...FLAT}>)</mo></mrow>
const Half = () => <mfrac><SymbolTerm name="λ" /><mn>2</mn></mfrac>
const OverN = () => <mfrac><mn>1</mn><SymbolTerm name="n" /></mfrac>

const WOfA = () => <><SymbolTerm name="w(α)" class="p">w</SymbolTerm><Paren><A /></Paren></>

/** @param {{l1: number}} props */
export const PrimalFormula = ({l1}) => (
  <math aria-label={`P of w is the mean of phi i of x i dot w, plus lambda half times the squared norm of w${l1 ? ", plus lambda one times the one-norm of w" : ""}`}>
    <SymbolTerm name="P" /><Paren><W /></Paren><mo>=</mo><OverN /><Sum /><Sub><SymbolTerm name="φ" /></Sub>
    <Paren><Sub><SymbolTerm name="x" /></Sub><mo>·</mo><W /></Paren><mo>+</mo><Half /><Norm2><W /></Norm2>
    {l1 > 0 && <><mo>+</mo><Sub i="1"><mi>λ</mi></Sub><Sub i="1"><mrow><Bar /><W /><Bar /></mrow></Sub></>}
  </math>
)

export const DualFormula = () => (
  <math aria-label="D of alpha is minus the mean of the conjugate phi star i of minus alpha i, minus lambda half times the squared norm of w of alpha">
    <SymbolTerm name="D" /><Paren><A /></Paren><mo>=</mo><mo>−</mo><OverN /><Sum /><msubsup><SymbolTerm name="φ*">φ</SymbolTerm><mi>i</mi><mo>*</mo></msubsup>
    <Paren><mo>−</mo><Sub><A /></Sub></Paren><mo>−</mo><Half /><Norm2><WOfA /></Norm2>
  </math>
)

/** @param {{l1: number}} props */
export const MapFormula = ({l1}) => (
  <math aria-label={`w of alpha is the sum of alpha i times x i over lambda n${l1 ? ", soft-thresholded" : ""}`}>
    <WOfA /><mo>=</mo>{l1 > 0 && <SymbolTerm name="prox">soft</SymbolTerm>}
    <mfrac><mn>1</mn><mrow><SymbolTerm name="λ" /><SymbolTerm name="n" /></mrow></mfrac><Sum /><Sub><A /></Sub><Sub><SymbolTerm name="x" /></Sub>
  </math>
)
