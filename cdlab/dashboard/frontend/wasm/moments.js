/* When a run is measured: 30 moments a decade of passes, as `LogMoments` of cdlab/runs/schedule.py. */

const MOMENTS_PER_DECADE = 30
const FIRST_MOMENT = 0.01 // passes
const CERTIFICATES_SHARE = 0.1 // of the nonzeros visited beyond the first pass: what certificates may visit there
const FREE_NONZEROS = 1e7 // that certificates may visit there in any case

/** The moments of one run. */
export class LogMoments {
  /** @param {number} nnz a pass */
  constructor(nnz) {
    this.free = FREE_NONZEROS / Math.max(1, nnz) // passes
    this.spent = 0 // passes that certificates took beyond the first pass
    this.k = 0
  }

  /** Passes at which the next record is due. */
  get next() {
    return FIRST_MOMENT * 10 ** (this.k / MOMENTS_PER_DECADE)
  }

  /** Note a measurement, which made so many products with X: each is half a pass. @param {number} passes @param {number} products */
  note(passes, products) {
    const cost = products / 2
    if (passes > 1) this.spent += cost
    while (this.next <= passes) this.k += 1
    while (this.next > 1 && this.spent + cost > this.free + CERTIFICATES_SHARE * (this.next - 1)) this.k += 1
  }
}
