import type { Checkpoint, CheckpointStore, Message } from '@lousho/core/contract';
import { DynamoDBStore, type DynamoDBStoreOptions } from '@lousho/store-dynamodb';
import { onTestFinished } from 'vitest';
import { FaultyClient, freeTable } from './faulty-client.js';

export interface Opened {
  readonly store: DynamoDBStore;
  readonly checkpoints: Required<CheckpointStore>;
  readonly faults: FaultyClient;
  readonly tableName: string;
}

export function open(options: Partial<DynamoDBStoreOptions> = {}): Opened {
  const faults = new FaultyClient();
  const tableName = options.tableName ?? freeTable();
  const store = new DynamoDBStore(faults.client, { tableName, createTable: true, ...options });
  onTestFinished(async () => {
    await store.close();
    faults.client.destroy();
  });
  return { store, checkpoints: store.checkpoints as Required<CheckpointStore>, faults, tableName };
}

export function user(content: string): Message {
  return { role: 'user', content };
}

export function checkpoint(fields: Partial<Checkpoint> = {}): Checkpoint {
  return { sessionId: 'refund-42', stepIndex: 1, messages: [user('Refund order 42')], ...fields };
}

/** Text of so many UTF-8 bytes, of characters that need one to four of them. */
export function textOfBytes(bytes: number): string {
  const pattern = 'aé€𝄞';
  const text = pattern.repeat(Math.floor(bytes / 10));
  return text + 'x'.repeat(bytes - Math.floor(bytes / 10) * 10);
}

export function clockOf(startsAt = Date.parse('2030-01-01T00:00:00.000Z')) {
  let elapsed = 0;
  return {
    now: () => startsAt + elapsed,
    monotonic: () => 1_000 + elapsed,
    advance: (ms: number) => {
      elapsed += ms;
    },
  };
}
