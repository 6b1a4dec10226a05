import type { Checkpoint, Message } from '@lousho/core/contract';
import { KVStore, type KVStoreOptions } from '@lousho/store-kv';
import { FakeKv, type FakeOptions } from './fake-kv.js';

export interface VirtualClock {
  now(): number;
  monotonic(): number;
  advance(ms: number): void;
  /** Moves the time once nothing else is to be done at this instant. */
  sleep(ms: number): Promise<void>;
}

export function virtualClock(startsAt = Date.parse('2030-01-01T00:00:00.000Z')): VirtualClock {
  let elapsed = 0;
  let sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  let isMoving = false;
  const move = async () => {
    isMoving = true;
    while (sleepers.length > 0) {
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      const next = Math.min(...sleepers.map(({ at }) => at));
      elapsed = Math.max(elapsed, next);
      const due = sleepers.filter(({ at }) => at <= elapsed);
      sleepers = sleepers.filter(({ at }) => at > elapsed);
      for (const { wake } of due) wake();
    }
    isMoving = false;
  };
  return {
    now: () => startsAt + elapsed,
    monotonic: () => 5_000 + elapsed,
    advance: (ms) => {
      elapsed += ms;
    },
    sleep: (ms) =>
      new Promise((wake) => {
        sleepers.push({ at: elapsed + ms, wake });
        if (!isMoving) void move();
      }),
  };
}

export function world(fake: Omit<FakeOptions, 'clock'> = {}, startsAt?: number) {
  const clock = virtualClock(startsAt);
  const kv = new FakeKv({ clock, ...fake });
  return {
    clock,
    kv,
    /** A store in an isolate of its own: no two share a binding. */
    open: (options: KVStoreOptions & { location?: string } = {}) => {
      const { location = 'here', ...rest } = options;
      return new KVStore(kv.at(location), { clock, sleep: clock.sleep, ...rest });
    },
  };
}

export function user(content: string): Message {
  return { role: 'user', content };
}

export function checkpoint(fields: Partial<Checkpoint> = {}): Checkpoint {
  return { sessionId: 'refund-42', stepIndex: 1, messages: [user('Refund order 42')], ...fields };
}
