/* Inputs that are ahead of the server: an answer to what they said a moment ago does not overwrite them. */

export class Ahead {
  constructor() {
    /** @type {Map<string, number>} By name: the number of the latest change sent. */
    this.sent = new Map()
  }

  /**
   * Number the changes that are about to be sent.
   * @param {string[]} names
   * @returns {Record<string, number>}
   */
  send(names) {
    for (const name of names) this.sent.set(name, (this.sent.get(name) ?? 0) + 1)
    return Object.fromEntries(names.map((name) => [name, this.sent.get(name) ?? 0]))
  }

  /**
   * Whether what the server says of a choice is an answer to the latest that was sent of it.
   * @param {string} name @param {Record<string, number>} heard the number of the latest change that it has had
   */
  answered(name, heard) {
    return (heard[name] ?? 0) >= (this.sent.get(name) ?? 0)
  }
}

/** Says only the latest of what comes quickly: at once, then at most every `wait` ms, and the last one in any case. */
export class Pace {
  /**
   * @param {(value: any) => void} tell @param {number} wait
   * @param {(work: () => void, ms: number) => any} [later] @param {(timer: any) => void} [never]
   */
  constructor(tell, wait, later = (work, ms) => setTimeout(work, ms), never = (timer) => clearTimeout(timer)) {
    this.tell = tell
    this.wait = wait
    this.later = later
    this.never = never
    /** @type {any} */
    this.timer = null
    /** @type {{value: any} | null} */
    this.due = null
  }

  /** @param {any} value */
  offer(value) {
    if (this.timer !== null) {
      this.due = {value}
      return
    }
    this.tell(value)
    this.timer = this.later(() => this.turn(), this.wait)
  }

  turn() {
    this.timer = null
    if (this.due) {
      const {value} = this.due
      this.due = null
      this.offer(value)
    }
  }

  /** Say what is still to be said. */
  flush() {
    if (this.timer !== null) this.never(this.timer)
    this.timer = null
    if (this.due) this.tell(this.due.value)
    this.due = null
  }
}
