import type { Checkpoint } from '@lousho/core/contract';
import type { RedisStore } from '@lousho/store-redis';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';

import { checkpoint, user } from './support/checkpoint.js';
import { client, openStore, privateServer } from './support/servers.js';

type Action =
  | { readonly kind: 'save'; readonly keep: number; readonly add: readonly string[]; readonly vouch: boolean }
  | { readonly kind: 'delete'; readonly keepHistory: boolean };

const actions = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('save' as const),
        keep: fc.nat({ max: 6 }),
        add: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
        vouch: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), keepHistory: fc.boolean() }) },
  ),
  { maxLength: 25 },
);

test('after any saves and deletes, load and history are what a list of whole checkpoints would give', async () => {
  const { url } = await privateServer({ appendonly: false });
  const redis = client(url);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(actions, fc.constantFrom(0, 1, 2, 5), async (sequence, historyLimit) => {
      run += 1;
      const prefix = `run-${run}:`;
      const store = openStore(redis, { prefix, historyLimit });
      const model = new Model(historyLimit);
      for (const [at, action] of sequence.entries()) await apply(store, model, action, at);
      expect(await store.checkpoints.load('refund-42')).toEqual(model.latest);
      const history = await store.checkpoints.history('refund-42');
      expect(history.map((entry) => entry.checkpoint)).toEqual(model.history);
      expect(await rows(redis, prefix)).toBe(model.rows());
      await store.close();
    }),
    { numRuns: 150 },
  );
});

async function apply(store: RedisStore, model: Model, action: Action, at: number): Promise<void> {
  if (action.kind === 'delete') {
    await store.checkpoints.delete('refund-42', { keepHistory: action.keepHistory });
    model.delete(action.keepHistory);
    return;
  }
  const before = model.latest?.messages ?? [];
  const kept = before.slice(0, action.keep);
  const next = checkpoint({
    revision: (model.latest?.revision ?? 0) + 1,
    stepIndex: at,
    messages: [...kept, ...action.add.map(user)],
  });
  await store.checkpoints.save('refund-42', next, { unchangedMessages: action.vouch ? kept.length : 0 });
  model.save(next);
}

/** The naive store: every save is kept whole. */
class Model {
  latest: Checkpoint | null = null;
  history: Checkpoint[] = [];

  constructor(readonly limit: number) {}

  save(next: Checkpoint): void {
    this.latest = next;
    this.history = [next, ...this.history].slice(0, this.limit);
  }

  delete(keepHistory: boolean): void {
    this.latest = null;
    if (!keepHistory) this.history = [];
  }

  /** Rows that the kept saves need: at each index, one for every stretch of saves with the same message there. */
  rows(): number {
    const saves = this.history.length > 0 ? this.history : this.latest ? [this.latest] : [];
    let needed = 0;
    for (const [at, save] of saves.entries()) {
      const older = saves[at + 1]?.messages ?? [];
      needed += save.messages.filter((message, index) => older[index]?.content !== message.content).length;
    }
    return needed;
  }
}

async function rows(redis: Redis, prefix: string): Promise<number> {
  const key = (part: string) => `${prefix}{refund-42}:${part}`;
  return (await redis.hlen(key('rows'))) + (await redis.zcard(key('old')));
}
