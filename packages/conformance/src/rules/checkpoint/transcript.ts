import type { Checkpoint } from '@lousho/core/contract';
import { promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID, messages } from '../../world/builders.js';
import { BASIC } from '../methods.js';

const needs = { methods: BASIC };

export const checkpointTranscript = [
  ...sentence(
    'CHECKPOINT-08',
    'A save that vouches for `unchangedMessages` of the revision that it continues is stored as if all messages had been written.',
    {
      needs,
      check: async ({ open }) => {
        const { checkpoints } = await open();
        let letters = '';
        for (let revision = 1; revision <= 12; revision++) {
          const unchangedMessages = letters.length;
          letters += 'xyz'.slice(0, revision % 4);
          await checkpoints.save(ID, saved(revision, letters), { unchangedMessages });
          promiseSame('load gives all messages', await checkpoints.load(ID), saved(revision, letters));
        }
      },
    },
  ),
  ...sentence(
    'CHECKPOINT-09',
    'A store that holds another revision than `checkpoint.revision - 1` disregards the vouching and stores the messages that were passed.',
    {
      needs,
      check: async ({ storage }) => {
        for (const [stored, next] of [
          [2, 4],
          [9, 4],
          [3, 3],
        ] as const) {
          const { checkpoints } = await (await storage()).open();
          await checkpoints.save(ID, saved(stored, 'abc'));
          await checkpoints.save(ID, saved(next, 'xyzw'), { unchangedMessages: 3 });
          const loaded = await checkpoints.load(ID);
          promiseSame(`revision ${next} over revision ${stored}`, loaded?.messages, messages('xyzw'));
        }
      },
    },
    {
      name: 'two-clients',
      needs: { ...needs, reads: ['latest'] },
      check: async ({ open }) => {
        const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
        await a.save(ID, saved(1, 'ab'));
        await b.save(ID, saved(2, 'xyz'));
        await b.save(ID, saved(3, 'xyzw'), { unchangedMessages: 3 });
        await a.save(ID, saved(2, 'abc'), { unchangedMessages: 2 });
        promiseSame('the late client’s messages', (await b.load(ID))?.messages, messages('abc'));
      },
    },
  ),
  ...sentence(
    'CHECKPOINT-10',
    'The vouching is disregarded too when nothing is stored under the id, or when the stored or the saved checkpoint has no revision.',
    {
      needs,
      check: async ({ storage }) => {
        for (const stored of [null, undefined, 3]) {
          const { checkpoints } = await (await storage()).open();
          if (stored !== null) await checkpoints.save(ID, saved(stored, 'abc'));
          const next = stored === 3 ? undefined : 4;
          await checkpoints.save(ID, saved(next, 'xyzw'), { unchangedMessages: 3 });
          const loaded = await checkpoints.load(ID);
          promiseSame(`revision ${next} over revision ${stored}`, loaded?.messages, messages('xyzw'));
        }
      },
    },
  ),
  ...sentence(
    'CHECKPOINT-11',
    'A transcript that shrinks, changes in the middle and grows again is each time loaded as it was saved.',
    {
      needs,
      check: async ({ open }) => {
        const { checkpoints } = await open();
        for (const [index, letters] of SHAPES.entries()) {
          await checkpoints.save(ID, saved(index + 1, letters));
          promiseSame(`save ${index + 1} is loaded`, await checkpoints.load(ID), saved(index + 1, letters));
        }
      },
    },
    {
      name: 'any-sequence',
      // Hundreds of calls, one after the other.
      timeLimitMs: 90_000,
      needs,
      check: async ({ open, random }) => {
        const { checkpoints } = await open();
        for (let round = 0; round < 12; round++) {
          const sessionId = `run-${round}`;
          let before: Checkpoint | null = null;
          for (let step = 0; step < 10; step++) {
            const isGap = random.chance(0.3);
            const revision: number = (before?.revision ?? 0) + (isGap ? 2 : 1);
            const letters = random.list(6, () => random.pick(['a', 'b'])).join('');
            const next: Checkpoint = { ...saved(revision, letters), sessionId };
            const unchangedMessages = isGap || random.chance(0.5) ? 0 : sharedStart(before, next);
            await checkpoints.save(sessionId, next, { unchangedMessages });
            promiseSame('load gives the save', await checkpoints.load(sessionId), next);
            before = next;
          }
        }
      },
    },
  ),
];

export const SHAPES = [
  'ab',
  'abcdef',
  'abXdef',
  'ab',
  'a',
  '',
  'abc',
  'abcdefgh',
  'Zbcdefgh',
  'Zb',
  'ZbXdef',
];

export function saved(revision: number | undefined, letters: string): Checkpoint {
  return checkpoint({ ...(revision !== undefined && { revision }), messages: messages(letters) });
}

/** How many leading messages two checkpoints have in common. */
export function sharedStart(a: Checkpoint | null, b: Checkpoint): number {
  let count = 0;
  while (
    a !== null &&
    count < Math.min(a.messages.length, b.messages.length) &&
    a.messages[count]?.content === b.messages[count]?.content
  )
    count += 1;
  return count;
}
