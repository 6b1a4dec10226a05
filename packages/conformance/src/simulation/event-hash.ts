/** One number for all that happened, in order: equal for equal runs. */
export class EventHash {
  #high = 0x811c9dc5;
  #low = 0x01000193;
  #count = 0;

  add(text: string): void {
    this.#count += 1;
    let [high, low] = [this.#high, this.#low];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      high = Math.imul(high ^ code, 0x01000193);
      low = Math.imul(low ^ code ^ (high >>> 15), 0x85ebca6b);
    }
    this.#high = high;
    this.#low = low;
  }

  get count(): number {
    return this.#count;
  }

  get text(): string {
    return hex(this.#high) + hex(this.#low);
  }
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
