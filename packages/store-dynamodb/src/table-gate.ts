import { Gate, type GateOptions, SDKError } from '@lousho/core/contract';
import type { Background } from './background.js';
import type { Call } from './call.js';
import { codedError } from './dynamodb-errors.js';
import type { Settings } from './dynamodb-options.js';
import { ensureTable } from './table.js';
import { placeOf } from './table-place.js';

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
          try {
            if (this.settings.createTable) await this.#table();
            return await work();
          } catch (error) {
            throw await this.#codedHere(error, operation);
          }
        })(),
      ),
    );
  }

  /** What the client is set to has to be awaited, which the gate's own mapping cannot. */
  async #codedHere(error: unknown, operation: string): Promise<unknown> {
    if (error instanceof SDKError) return error;
    const { client, tableName } = this.begin();
    const place = await placeOf(client, tableName);
    return codedError(error, `${this.options.name}.${operation}() on ${place}`) ?? error;
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
