import { SDKError } from './errors.js';

export interface GateOptions {
  /** Names the store in error texts: `SqliteStore(./jobs.db)`. */
  readonly name: string;
  /** Turns the storage's own error into a coded one; `undefined` for one it does not know. */
  readonly mapError?: (error: unknown, operation: string) => SDKError | undefined;
}

/**
 * The one way into a store's storage: refuses calls after `close()` with `LOUSHO_STORE_CLOSED`, and lets no error out without a code.
 */
export class Gate {
  #closed = false;

  constructor(readonly options: GateOptions) {}

  async run<T>(operation: string, work: () => Promise<T>): Promise<T> {
    this.#assertOpen(operation);
    try {
      return await work();
    } catch (error) {
      throw this.#coded(error, operation);
    }
  }

  /** `true` for the first caller, who then ends what the store opened. */
  close(): boolean {
    const isFirst = !this.#closed;
    this.#closed = true;
    return isFirst;
  }

  #assertOpen(operation: string): void {
    if (this.#closed) {
      throw new SDKError('LOUSHO_STORE_CLOSED', `${this.options.name}: ${operation}() after close()`);
    }
  }

  #coded(error: unknown, operation: string): unknown {
    if (error instanceof SDKError) return error;
    const mapped = this.options.mapError?.(error, operation);
    if (mapped) return mapped;
    const reason = error instanceof Error ? error.message : String(error);
    return new SDKError('LOUSHO_STORAGE_FAILED', `${this.options.name}: ${operation}() failed: ${reason}`, {
      cause: error,
    });
  }
}
