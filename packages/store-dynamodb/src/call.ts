import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  UpdateItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { SDKError } from '@lousho/core/contract';
import { type Item, item } from './attributes.js';
import { type Change, type Conditions, expressionsOf } from './change.js';
import { failureOf } from './dynamodb-errors.js';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** The most items that the service takes, and gives, in one batch. */
const WRITE_BATCH = 25;
const READ_BATCH = 100;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

/**
 * The requests of one call of the store. A throttled, conflicting or unanswered request is sent again with growing, random pauses
 * until the call's deadline: every write here is conditional or writes what nobody sees yet, so that repeating it is harmless.
 */
export class Call {
  #endsAt: number;

  /** `long`: the deadline starts anew with each answer, for what goes through many records. */
  constructor(
    readonly client: DynamoDBClient,
    readonly tableName: string,
    readonly deadlineMs: number,
    readonly length?: 'long',
  ) {
    this.#endsAt = performance.now() + deadlineMs;
  }

  async get(key: Key): Promise<Item | undefined> {
    const input = { TableName: this.tableName, Key: item({ ...key }), ConsistentRead: true };
    return (await this.send((options) => this.client.send(new GetItemCommand(input), options))).Item;
  }

  /** What the change set, or `false` where the conditions did not hold. */
  async update(key: Key, change: Change, conditions: Conditions): Promise<Item | false> {
    const input = {
      TableName: this.tableName,
      Key: item({ ...key }),
      ReturnValues: 'UPDATED_NEW' as const,
      ...expressionsOf(change, conditions),
    };
    const reply = await this.#ifHeld(() =>
      this.send((options) => this.client.send(new UpdateItemCommand(input), options), 'commit'),
    );
    return reply && (reply.Attributes ?? {});
  }

  /** `false` where the conditions did not hold. */
  async delete(key: Key, conditions: Conditions = {}): Promise<boolean> {
    const input = { TableName: this.tableName, Key: item({ ...key }), ...expressionsOf({}, conditions) };
    const reply = await this.#ifHeld(() =>
      this.send((options) => this.client.send(new DeleteItemCommand(input), options), 'commit'),
    );
    return reply !== false;
  }

  /** Every item of a query, page by page; an empty page may have a next one. */
  async *query(input: Omit<QueryCommandInput, 'TableName'>): AsyncGenerator<Item, void, undefined> {
    yield* this.#pages((start) =>
      this.send((options) =>
        this.client.send(
          new QueryCommand({
            ...input,
            TableName: this.tableName,
            ...(start && { ExclusiveStartKey: start }),
          }),
          options,
        ),
      ),
    );
  }

  async *scan(input: Omit<ScanCommandInput, 'TableName'>): AsyncGenerator<Item, void, undefined> {
    yield* this.#pages((start) =>
      this.send((options) =>
        this.client.send(
          new ScanCommand({
            ...input,
            TableName: this.tableName,
            ...(start && { ExclusiveStartKey: start }),
          }),
          options,
        ),
      ),
    );
  }

  /** Puts and deletes; what the service leaves unprocessed is sent again. */
  async write(puts: readonly Item[], deletes: readonly Key[] = []): Promise<void> {
    let waiting: WriteRequest[] = [
      ...deletes.map((key) => ({ DeleteRequest: { Key: item({ ...key }) } })),
      ...puts.map((put) => ({ PutRequest: { Item: put } })),
    ];
    for (let refusals = 0; waiting.length > 0; ) {
      const batch = waiting.slice(0, WRITE_BATCH);
      const input = { RequestItems: { [this.tableName]: batch } };
      const reply = await this.send((options) => this.client.send(new BatchWriteItemCommand(input), options));
      const left = reply.UnprocessedItems?.[this.tableName] ?? [];
      waiting = [...waiting.slice(WRITE_BATCH), ...left];
      refusals = left.length > 0 ? refusals + 1 : 0;
      if (left.length > 0) await this.#pauseOrFail(refusals);
    }
  }

  /** The items that are there, in no order. */
  async getAll(keys: readonly Key[]): Promise<Item[]> {
    const found: Item[] = [];
    let waiting = keys.map((key) => item({ ...key }));
    for (let refusals = 0; waiting.length > 0; ) {
      const request = { Keys: waiting.slice(0, READ_BATCH), ConsistentRead: true };
      const input = { RequestItems: { [this.tableName]: request } };
      const reply = await this.send((options) => this.client.send(new BatchGetItemCommand(input), options));
      const left = reply.UnprocessedKeys?.[this.tableName]?.Keys ?? [];
      const got = reply.Responses?.[this.tableName] ?? [];
      found.push(...got);
      waiting = [...waiting.slice(READ_BATCH), ...left];
      // A reply that is full leaves keys over without being a refusal.
      refusals = left.length > 0 && got.length === 0 ? refusals + 1 : 0;
      if (refusals > 0) await this.#pauseOrFail(refusals);
    }
    return found;
  }

  /** Sends until there is an answer. `commit`: the caller must learn when it cannot be known whether it was done. */
  async send<Reply>(
    request: (options: { abortSignal: AbortSignal }) => Promise<Reply>,
    kind?: 'commit',
  ): Promise<Reply> {
    let mayBeDone = false;
    for (let attempt = 1; ; attempt++) {
      try {
        const reply = await request({
          abortSignal: AbortSignal.timeout(Math.max(1, Math.ceil(this.#leftMs()))),
        });
        if (this.length === 'long') this.#endsAt = performance.now() + this.deadlineMs;
        return reply;
      } catch (error) {
        const failure = failureOf(error);
        if (failure === 'fault' || failure === 'condition') throw error;
        mayBeDone ||= failure === 'unanswered';
        if (await this.#pause(attempt)) continue;
        if (kind === 'commit' && mayBeDone) throw this.#unknown(error);
        throw error;
      }
    }
  }

  async #ifHeld<Reply>(request: () => Promise<Reply>): Promise<Reply | false> {
    try {
      return await request();
    } catch (error) {
      if (failureOf(error) === 'condition') return false;
      throw error;
    }
  }

  async *#pages(
    read: (
      start: Item | undefined,
    ) => Promise<{ Items?: Item[] | undefined; LastEvaluatedKey?: Item | undefined }>,
  ): AsyncGenerator<Item, void, undefined> {
    let start: Item | undefined;
    do {
      const page = await read(start);
      yield* page.Items ?? [];
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
  }

  /** `false` when the deadline is too near for another attempt. */
  async #pause(attempt: number): Promise<boolean> {
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
    const pauseMs = longest * (0.5 + Math.random() / 2);
    if (pauseMs >= this.#leftMs()) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    return true;
  }

  /** The pause before what the service left unprocessed is sent again, or before a commit that met another one is. */
  async #pauseOrFail(refusals: number): Promise<void> {
    if (await this.#pause(refusals)) return;
    throw this.busy('the service left a part of the request unprocessed');
  }

  async pauseAfterConflict(conflicts: number): Promise<void> {
    if (conflicts === 1) return;
    if (await this.#pause(Math.min(conflicts, 4))) return;
    throw this.busy(`${conflicts} other saves of this id came first`);
  }

  busy(reason: string): SDKError {
    return new SDKError(
      'LOUSHO_STORAGE_BUSY',
      `table ${this.tableName}: ${reason} (after ${this.deadlineMs} ms)`,
    );
  }

  #unknown(cause: unknown): SDKError {
    return new SDKError(
      'LOUSHO_STORE_OUTCOME_UNKNOWN',
      `table ${this.tableName}: no reply to a write within ${this.deadlineMs} ms`,
      { cause },
    );
  }

  #leftMs(): number {
    return this.#endsAt - performance.now();
  }
}
