import { readdirSync, readFileSync } from 'node:fs';
import type { Checkpoint, Message } from '@lousho/core/contract';
import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';

function user(content: string): Message {
  return { role: 'user', content };
}

function checkpoint(fields: Partial<Checkpoint> = {}): Checkpoint {
  return { sessionId: 'refund-42', stepIndex: 1, messages: [user('Refund order 42')], ...fields };
}

describe('memoryStore', () => {
  it('declares what it keeps', () => {
    expect(memoryStore().checkpoints.capabilities).toEqual({
      fencing: 'atomic',
      reads: 'latest',
      reach: 'process',
      survives: 'nothing',
      clock: 'host',
      graceMs: 0,
      deathProof: 'instance',
    });
  });

  it('keeps two stores apart', async () => {
    const [a, b] = [memoryStore(), memoryStore()];
    await a.checkpoints.save('refund-42', checkpoint());
    expect(await b.checkpoints.load('refund-42')).toBeNull();
  });

  it('is not disturbed by a wall clock that is set back or forth', async () => {
    let wall = 0;
    const clock = { now: () => wall, monotonic: () => 0 };
    const { checkpoints } = memoryStore({ clock });
    await checkpoints.acquireLease?.('refund-42', 'worker-a', 30_000);
    for (wall of [1e12, -1e12]) {
      expect(await checkpoints.acquireLease?.('refund-42', 'worker-b', 30_000)).toBe(false);
    }
  });

  it('writes only what is new: a save of a long transcript does not encode what the caller vouches for', async () => {
    const { checkpoints } = memoryStore();
    let reads = 0;
    const counted = new Proxy(user('counted'), {
      ownKeys: (target) => {
        reads += 1;
        return Reflect.ownKeys(target);
      },
    });
    await checkpoints.save('refund-42', checkpoint({ revision: 1, messages: [counted] }));
    const readsOfOneSave = reads;
    for (let revision = 2; revision <= 10; revision++) {
      const messages = [counted, ...Array.from({ length: revision }, (_, index) => user(`${index}`))];
      await checkpoints.save('refund-42', checkpoint({ revision, messages }), { unchangedMessages: 1 });
    }
    expect(reads).toBe(readsOfOneSave);
  });

  it('throws on a wrong historyLimit, naming it', () => {
    for (const historyLimit of [-1, 1.5, Number.NaN]) {
      expect(() => memoryStore({ historyLimit })).toThrow(/Expected `historyLimit` to be a whole number/);
    }
  });

  it('uses no Node builtin, so that it runs in browsers and Workers', () => {
    const dist = new URL('../dist/', import.meta.url);
    for (const name of readdirSync(dist).filter((file) => file.endsWith('.js'))) {
      expect(readFileSync(new URL(name, dist), 'utf8')).not.toMatch(
        /\b(node:|process\.\w|Buffer\.|require\()/,
      );
    }
  });
});
