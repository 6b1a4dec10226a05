import type { WebStorage } from '@lousho/store-memory';

/** Web Storage with a quota over keys and values, as browsers count it, and the standard's error when it is reached. */
export class QuotaStorage implements WebStorage {
  readonly values = new Map<string, string>();
  quota = 5_000_000;
  /** What is thrown when the quota is reached. */
  refusal: () => unknown = () => new DOMException('The quota has been exceeded.', 'QuotaExceededError');

  get length(): number {
    return this.values.size;
  }

  get used(): number {
    return [...this.values].reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  }

  key(index: number): string | null {
    return [...this.values.keys()][index] ?? null;
  }

  getItem(key: string): string | null {
    return this.values.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    const freed = this.values.has(key) ? key.length + (this.getItem(key)?.length ?? 0) : 0;
    if (this.used - freed + key.length + value.length > this.quota) throw this.refusal();
    this.values.set(key, value);
  }

  removeItem(key: string): void {
    this.values.delete(key);
  }
}
