import { Gate, type GateOptions } from '@lousho/core/contract';
import type { Background } from './background.js';
import type { Call } from './call.js';
import type { Settings } from './dynamodb-options.js';
import { ensureTable } from './table.js';

/** The gate of a store whose table may have to be created first. */
export class TableGate extends Gate {
  #ready: Promise<void> | undefined;

  constructor(
    options: GateOptions,
    readonly settings: Settings,
    readonly begin: (length?: 'long') => Call,
    readonly background: Background,
  ) {
    super(options);
  }

  override run<T>(operation: string, work: () => Promise<T>): Promise<T> {
    return super.run(operation, () =>
      this.background.track(
        (async () => {
          if (this.settings.createTable) await this.#table();
          return work();
        })(),
      ),
    );
  }

  /** Asked for once; a failure is asked for again by the next call. */
  #table(): Promise<void> {
    this.#ready ??= ensureTable(this.begin('long'), {
      hasTtl: this.settings.retentionSeconds !== undefined,
    }).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }
}
