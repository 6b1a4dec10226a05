import { promise, promiseRefusal, promiseSame, refusalOf } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID, user } from '../../world/builders.js';
import type { World } from '../../world/world.js';
import { BASIC } from '../methods.js';

export const limitsLimits = [
  ...sentence(
    'LIMITS-01',
    'A save of more than `maxCheckpointBytes` is refused with `LOUSHO_CHECKPOINT_TOO_LARGE`, and what was stored stays.',
    {
      needs: { methods: BASIC, limits: ['maxCheckpointBytes'] },
      check: async (world) => {
        const { checkpoints } = await world.open();
        await checkpoints.save(ID, checkpoint({ revision: 1 }));
        const tooLarge = checkpoint({ revision: 2, messages: [user('x'.repeat(maxBytes(world) + 1))] });
        await promiseRefusal('a save that is too large', 'LOUSHO_CHECKPOINT_TOO_LARGE', () =>
          checkpoints.save(ID, tooLarge),
        );
        promiseSame('load gives the save before', await checkpoints.load(ID), checkpoint({ revision: 1 }));
      },
    },
  ),
  ...sentence('LIMITS-02', 'A save just below `maxCheckpointBytes` is stored.', {
    tier: 1,
    needs: { methods: BASIC, limits: ['maxCheckpointBytes'] },
    timeLimitMs: 120_000,
    check: async (world) => {
      const { checkpoints } = await world.open();
      const large = checkpoint({ messages: [user('x'.repeat(maxBytes(world) - 1_000))] });
      await checkpoints.save(ID, large);
      const seen = (await checkpoints.load(ID))?.messages[0]?.content.length;
      promiseSame('the characters of the loaded message', seen, maxBytes(world) - 1_000);
    },
  }),
  ...sentence(
    'LIMITS-03',
    'A save above `maxWritesPerKeyPerSecond` is stored or refused as one that can be tried again, never lost.',
    {
      needs: { methods: BASIC, limits: ['maxWritesPerKeyPerSecond'] },
      under: 'fault',
      check: async ({ open, claims }) => {
        const { checkpoints } = await open();
        const count = Math.ceil(claims.limits.maxWritesPerKeyPerSecond ?? 1) + 3;
        for (let revision = 1; revision <= count; revision++) {
          const save = () => checkpoints.save(ID, checkpoint({ revision }));
          const code = await refusalOf(save);
          const isAnswered =
            code === 'the call succeeded' || ['LOUSHO_STORAGE_BUSY', 'LOUSHO_STORAGE_FAILED'].includes(code);
          promise('each save above the rate is stored or refused as retryable', isAnswered, code);
          if (code === 'the call succeeded')
            promiseSame('load gives it', (await checkpoints.load(ID))?.revision, revision);
        }
      },
    },
  ),
  ...sentence(
    'LIMITS-04',
    'A transcript of 2,000 messages and of a million bytes, or half the declared limit, is stored.',
    {
      needs: { methods: BASIC },
      check: async ({ open, claims }) => {
        const { checkpoints } = await open();
        const bytes = Math.min(1_000_000, (claims.limits.maxCheckpointBytes ?? 1_000_000) / 2);
        const count = 2_000;
        const messages = Array.from({ length: count }, (_, index) =>
          user(`${index} ${'x'.repeat(Math.max(0, Math.floor(bytes / count - 60)))}`),
        );
        await checkpoints.save(ID, checkpoint({ messages }));
        promiseSame('a transcript of 2,000 messages', (await checkpoints.load(ID))?.messages, messages);
      },
    },
  ),
  ...sentence('LIMITS-05', 'Without a declared `maxCheckpointBytes` a message of 8 MiB is stored.', {
    needs: { methods: BASIC, noLimits: ['maxCheckpointBytes'] },
    check: async ({ open }) => {
      const { checkpoints } = await open();
      const size = 8 * 1024 * 1024;
      await checkpoints.save(ID, checkpoint({ messages: [user('x'.repeat(size))] }));
      const seen = (await checkpoints.load(ID))?.messages[0]?.content.length;
      promiseSame('the characters of a message of 8 MiB', seen, size);
    },
  }),
];

function maxBytes({ claims }: Pick<World, 'claims'>): number {
  return claims.limits.maxCheckpointBytes ?? 0;
}
