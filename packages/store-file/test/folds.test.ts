import type { Checkpoint } from '@lousho/core/contract';
import { fileStore } from '@lousho/store-file';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commitOf, sessionFold } from '../dist/session-fold.js';
import { checkpoint, contents, user } from './support/checkpoint.js';
import { faultFs } from './support/fault-fs.js';
import { tempDir } from './support/temp-dir.js';

const fs = faultFs({ withoutSync: true });

type Step =
  | { readonly do: 'save'; readonly keep: number; readonly texts: readonly string[] }
  | { readonly do: 'delete'; readonly keepHistory: boolean }
  | { readonly do: 'reopen' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('save' as const),
      keep: fc.nat(6),
      texts: fc.array(fc.string({ unit: 'binary', maxLength: 5 }), { maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), keepHistory: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
);

describe('the checkpoint log', () => {
  it('gives back latest save and history as if each were stored whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 25 }),
        fc.constantFrom(0, 1, 3, 50),
        fc.constantFrom(0, 300, 65_536),
        async (steps, historyLimit, compactAfterBytes) => {
          const dir = tempDir();
          const open = () => fileStore(dir, { fs, historyLimit, compactAfterBytes });
          let store = open();
          let latest: Checkpoint | null = null;
          let history: Checkpoint[] = [];
          for (const [at, each] of steps.entries()) {
            if (each.do === 'save') {
              // Keeps a part of the messages before and goes on differently.
              const kept: Checkpoint['messages'] = (latest?.messages ?? []).slice(0, each.keep);
              const messages = [...kept, ...each.texts.map(user)];
              const revision: number = (latest?.revision ?? 0) + 1;
              latest = checkpoint({ revision, stepIndex: at, messages });
              history = [latest, ...history].slice(0, historyLimit);
              const unchangedMessages: number = at % 2 === 0 ? kept.length : 0;
              await store.checkpoints.save('refund-42', latest, { unchangedMessages });
            } else if (each.do === 'delete') {
              await store.checkpoints.delete('refund-42', { keepHistory: each.keepHistory });
              latest = null;
              if (!each.keepHistory) history = [];
            } else {
              await store.close();
              store = open();
            }
            const found = await store.checkpoints.history?.('refund-42');
            expect(found?.map((entry) => entry.checkpoint)).toEqual(history);
            expect(await store.checkpoints.load('refund-42')).toEqual(latest);
          }
          await store.close();
        },
      ),
      { numRuns: process.env.DEEP === '1' ? 2_000 : 60 },
    );
  });

  it('writes what the caller does not vouch for when the stored revision is another', async () => {
    const store = fileStore(tempDir(), { fs });
    await store.checkpoints.save('refund-42', checkpoint({ revision: 1, messages: [user('a'), user('b')] }));
    const later = checkpoint({ revision: 7, messages: [user('c'), user('d'), user('e')] });
    await store.checkpoints.save('refund-42', later, { unchangedMessages: 2 });
    expect(contents(await store.checkpoints.load('refund-42'))).toEqual(['c', 'd', 'e']);
  });

  it('applies a save that is sent twice under one lease once', async () => {
    const store = fileStore(tempDir(), { fs });
    await store.checkpoints.acquireLease?.('refund-42', 'worker-a', 1_000);
    for (let sent = 0; sent < 3; sent++) {
      expect(
        await store.checkpoints.saveIfLeased?.('refund-42', checkpoint({ revision: 1 }), 'worker-a'),
      ).toBe(true);
    }
    expect(await store.checkpoints.history?.('refund-42')).toHaveLength(1);
  });
});

describe('the session log', () => {
  it('rebuilds each transcript from the one before, whatever its characters', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '😁', 'é', '\\"'), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), (transcripts) => {
        const state = sessionFold.empty();
        for (const [index, messages] of transcripts.entries()) {
          const { shared, text: end } = commitOf(state.messages, messages);
          const stored = Buffer.from(end).toString();
          const fields = { k: 'commit', revision: index + 1, shared, changedAt: 0 };
          expect(sessionFold.apply(state, { fields, texts: [stored] })).toBeUndefined();
          expect(state.messages).toBe(messages);
        }
      }),
    );
  });
});
