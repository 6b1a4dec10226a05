/** Which calls of a window are explained: the answered ones from the first on, those without an answer behind them. */
export class ExplainedSet {
  readonly #bits: Uint16Array;
  /** All words before this one are full. */
  #firstOpen = 0;
  #last = 0;

  constructor(readonly size: number) {
    this.#bits = new Uint16Array((size >> 4) + 1);
  }

  add(index: number): void {
    const word = index >> 4;
    this.#bits[word] = (this.#bits[word] as number) | (1 << (index & 15));
    while (this.#bits[this.#firstOpen] === 0xffff) this.#firstOpen += 1;
    if (word > this.#last) this.#last = word;
  }

  remove(index: number): void {
    const word = index >> 4;
    this.#bits[word] = (this.#bits[word] as number) & ~(1 << (index & 15));
    if (word < this.#firstOpen) this.#firstOpen = word;
    while (this.#last > 0 && this.#bits[this.#last] === 0) this.#last -= 1;
  }

  has(index: number): boolean {
    return (((this.#bits[index >> 4] as number) >> (index & 15)) & 1) === 1;
  }

  /** Equal for equal sets, and short for what is usual: all up to somewhere, and a few more. */
  get key(): string {
    let key = String.fromCharCode(this.#firstOpen, this.#last);
    for (let word = this.#firstOpen; word <= this.#last; word++)
      key += String.fromCharCode(this.#bits[word] as number);
    return key;
  }
}
