import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkpoint, user } from '../harness/builders.js';
import { LeaseModel } from '../harness/lease-model.js';
import { onFullStores } from '../harness/on-stores.js';
import type { FullStore } from '../harness/store-kind.js';

const TTL = 30_000;
const OWNERS = ['worker-a', 'worker-b'] as const;
const ACTS = [
  ...Array(6).fill('save'),
  ...Array(2).fill('repeat'),
  ...Array(2).fill('late'),
  ...Array(3).fill('acquire'),
  'renew',
  'release',
  'delete',
  'wait',
  'wait-long',
] as ('save' | 'repeat' | 'late' | 'acquire' | 'renew' | 'release' | 'delete' | 'wait' | 'wait-long')[];
const RUNS = process.env.DEEP === '1' ? 2_000 : 60;

const step = fc.record({ owner: fc.constantFrom(0, 0, 0, 1), act: fc.constantFrom(...ACTS) });

describe('FENCE: interleavings', () => {
  onFullStores((newStorage) => {
    it('FENCE-12 any sequence of acts by two owners on two clients is answered as the model answers it', async () => {
      const { clock, open } = newStorage();
      const clients = [open({ historyLimit: 100 }), open({ historyLimit: 100 })] as const;
      const graceMs = clients[0].checkpoints.capabilities.graceMs ?? 0;
      let id = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
          id += 1;
          const sessionId = `run-${id}`;
          const model = new LeaseModel(TTL, graceMs);
          for (const { owner: index, act } of steps) {
            const [owner, { checkpoints }] = [OWNERS[index] as string, clients[index] as FullStore];
            switch (act) {
              case 'acquire':
                expect((await checkpoints.acquireLease(sessionId, owner, TTL)) !== false).toBe(
                  model.acquire(owner),
                );
                break;
              case 'renew':
                expect(await checkpoints.renewLease(sessionId, owner, TTL)).toBe(model.renew(owner));
                break;
              case 'release':
                await checkpoints.releaseLease(sessionId, owner);
                model.release(owner);
                break;
              case 'delete':
                await checkpoints.delete(sessionId);
                model.delete();
                break;
              case 'save':
              case 'repeat':
              case 'late': {
                const revision = model.revision + { save: 1, repeat: 0, late: -1 }[act];
                if (revision < 1 || (act !== 'save' && !model.hasSaved(owner))) break;
                const save = {
                  ...checkpoint({ revision, metadata: { owner } }),
                  sessionId,
                  messages: transcript(revision),
                };
                const answer = await checkpoints.saveIfLeased(sessionId, save, owner, {
                  unchangedMessages: revision - 1,
                });
                expect(answer).toBe(model.save(owner, revision));
                break;
              }
              case 'wait':
              case 'wait-long': {
                const ms = act === 'wait' ? TTL : TTL + graceMs;
                clock.advance(ms);
                model.wait(ms);
                break;
              }
              default:
                act satisfies never;
            }
          }
          for (const { checkpoints } of clients) {
            const loaded = await checkpoints.load(sessionId);
            expect(loaded?.revision ?? 0).toBe(model.revision);
            expect(loaded?.messages ?? []).toEqual(transcript(model.revision));
            expect(loaded?.metadata?.owner).toBe(model.savedBy);
            const history = await checkpoints.history(sessionId);
            expect(history.map((entry) => entry.checkpoint.revision).reverse()).toEqual(model.revisions);
          }
        }),
        { numRuns: RUNS },
      );
    });

    it('FENCE-12 concurrent saves of owners that race for the lease form one chain', async () => {
      const { clock, open } = newStorage();
      const clients = [open(), open()] as const;
      const graceMs = clients[0].checkpoints.capabilities.graceMs ?? 0;
      const accepted: string[] = [];
      await Promise.all(
        Array.from({ length: 8 }, async (_, worker) => {
          const { checkpoints } = clients[worker % 2] as FullStore;
          for (let turn = 0; turn < 6; turn++) {
            const owner = `worker-${worker}-${turn}`;
            if (!(await checkpoints.acquireLease('race', owner, TTL))) {
              clock.advance((TTL + graceMs) / 4);
              continue;
            }
            const before = await checkpoints.load('race');
            const revision = (before?.revision ?? 0) + 1;
            const parent = before?.metadata?.owner ?? null;
            const save = { ...checkpoint({ revision, metadata: { owner, parent } }), sessionId: 'race' };
            if (await checkpoints.saveIfLeased('race', save, owner)) accepted.push(owner);
            if (turn % 2) await checkpoints.releaseLease('race', owner);
          }
        }),
      );
      const history = await clients[0].checkpoints.history('race');
      const chain = history.map((entry) => entry.checkpoint).reverse();
      expect(chain.length).toBeGreaterThan(0);
      expect(chain.map(({ metadata }) => metadata?.owner).sort()).toEqual(accepted.sort());
      expect(chain.map(({ revision }) => revision)).toEqual(chain.map((_, index) => index + 1));
      expect(chain.map(({ metadata }) => metadata?.parent)).toEqual([
        null,
        ...chain.slice(0, -1).map(({ metadata }) => metadata?.owner),
      ]);
    });
  });
});

function transcript(revision: number) {
  return Array.from({ length: revision }, (_, index) => user(`message ${index}`));
}
