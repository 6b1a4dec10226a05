import type { WebStorage } from '@lousho/store-memory';

/** Web Storage as a browser gives it: a quota over keys and values together, and the standard's error when it is reached. */
export class QuotaStorage implements WebStorage {
  readonly #values = new Map<string, string>();

  constructor(public quota = 5_000_000) {}

  get length(): number {
    return this.#values.size;
  }

  key(index: number): string | null {
    return [...this.#values.keys()][index] ?? null;
  }

  getItem(key: string): string | null {
    return this.#values.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    if (this.used - this.#sizeOf(key) + key.length + value.length > this.quota) {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
    }
    this.#values.set(key, String(value));
  }

  removeItem(key: string): void {
    this.#values.delete(key);
  }

  get used(): number {
    return [...this.#values.keys()].reduce((sum, key) => sum + this.#sizeOf(key), 0);
  }

  /** Everything that is stored, to compare. */
  contents(): Record<string, string> {
    return Object.fromEntries(this.#values);
  }

  #sizeOf(key: string): number {
    const value = this.#values.get(key);
    return value === undefined ? 0 : key.length + value.length;
  }
}
