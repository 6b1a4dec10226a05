import { expect, test } from 'vitest';
import { type InTransaction, WriteQueue } from '../src/write-queue.js';

test('a job that throws gets the error; its neighbours get their answers', async () => {
  const { queue, committed } = scripted();
  const outcomes = await Promise.allSettled([
    queue.run(() => committed.note('a')),
    queue.run(() => {
      throw new Error('b failed');
    }),
    queue.run(() => committed.note('c')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(committed.notes()).toEqual(['a', 'c']);
});

test('a failing commit reaches every job of its own and rolls back', async () => {
  const { queue, committed } = scripted({ failCommits: 1 });
  await expect(queue.run(() => committed.note('a'))).rejects.toThrow('commit failed');
  expect(committed.notes()).toEqual([]);
  await queue.run(() => committed.note('b'));
  expect(committed.notes()).toEqual(['b']);
});

test('those behind the one that fails are together again', async () => {
  const { queue, committed } = scripted();
  await Promise.allSettled([
    queue.run(() => {
      throw new Error('a failed');
    }),
    ...['b', 'c', 'd'].map((name) => queue.run(() => committed.note(name))),
  ]);
  expect(committed.notes()).toEqual(['b', 'c', 'd']);
  expect(committed.transactions()).toBe(1);
});

test('a lock met half-way through single transactions loses and repeats nothing', async () => {
  const { queue, committed } = scripted({ busyAt: 3 });
  const outcomes = await Promise.allSettled([
    queue.run(() => {
      throw new Error('a failed');
    }),
    queue.run(() => committed.note('b')),
    queue.run(() => committed.note('c')),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(committed.notes()).toEqual(['b', 'c']);
});

test('a transaction that has taken long leaves the rest to the next one, and timers run between', async () => {
  const { queue, committed } = scripted();
  const order: string[] = [];
  setImmediate(() => setImmediate(() => order.push('timer')));
  const job = (name: string) =>
    queue.run(() => {
      const startedAt = performance.now();
      while (performance.now() - startedAt < 60) {
        // busy
      }
      order.push(name);
      committed.note(name);
    });
  await Promise.all([job('a'), job('b'), job('c'), job('d')]);
  expect(committed.transactions()).toBe(4);
  expect(order.indexOf('timer')).toBeGreaterThan(-1);
  expect(order.indexOf('timer')).toBeLessThan(order.indexOf('d'));
  expect(committed.notes()).toEqual(['a', 'b', 'c', 'd']);
});

test('a job asked for while others are answered is not forgotten', async () => {
  const { queue, committed } = scripted();
  await queue.run(() => committed.note('a'));
  await queue.run(() => committed.note('b'));
  await queue.draining;
  expect(committed.notes()).toEqual(['a', 'b']);
});

/** A storage in memory that keeps what was noted in transactions that ended well. */
function scripted(faults: { failCommits?: number; busyAt?: number } = {}) {
  const kept: string[] = [];
  let open: string[] = [];
  let calls = 0;
  let commits = 0;
  let failures = faults.failCommits ?? 0;
  const inTransaction: InTransaction = (work) => {
    calls++;
    if (calls === faults.busyAt) throw Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' });
    open = [];
    const result = work();
    if (failures-- > 0) throw new Error('commit failed');
    kept.push(...open);
    commits++;
    return result;
  };
  return {
    queue: new WriteQueue(inTransaction, 10_000),
    committed: {
      note: (text: string) => open.push(text),
      notes: () => kept,
      transactions: () => commits,
    },
  };
}
