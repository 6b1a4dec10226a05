import {
  type BundledStore,
  type Checkpoint,
  encode,
  markGuarded,
  type StoreCapabilities,
} from '@lousho/core/contract';
import { ReferenceCheckpoints } from '../reference/reference-checkpoints.js';
import type { StoredSave } from '../reference/reference-storage.js';
import type { Mutant } from './mutant.js';

/** What a store declares, and what it accepts. */
export const claims: readonly Mutant[] = [
  {
    name: 'claims-unheard-of',
    says: 'A capability is declared in a word of its own.',
    killedBy: ['CLAIM-01'],
    capabilities: { survives: 'everything' } as unknown as StoreCapabilities,
  },
  {
    name: 'claims-no-fence',
    says: 'Fenced saves are there and said not to be.',
    killedBy: ['CLAIM-03'],
    capabilities: { fencing: 'none' },
  },
  {
    name: 'claims-no-death-proof',
    says: 'Leases of ended owners are given early, and said not to be.',
    killedBy: ['LEASE-20:no-proof'],
    capabilities: { deathProof: 'none' },
  },
  {
    name: 'claims-limit',
    says: 'A limit is declared, and larger checkpoints are taken.',
    killedBy: ['LIMITS-01'],
    capabilities: { limits: { maxCheckpointBytes: 10_000 } },
  },
  {
    name: 'cuts-long-messages',
    says: 'What is longer than a million characters is cut.',
    killedBy: ['LIMITS-05'],
    classes: {
      checkpoints: class extends ReferenceCheckpoints {
        override encoded(checkpoint: Checkpoint, owner: string | undefined): StoredSave {
          const messages = checkpoint.messages.map((message) => ({
            ...message,
            content: message.content.slice(0, 1_000_000),
          }));
          return {
            ...super.encoded(checkpoint, owner),
            text: encode({ ...checkpoint, messages }, 'checkpoint'),
          };
        }
      },
    },
  },
  {
    name: 'saves-what-it-refuses',
    says: 'A value that cannot be stored is refused, and the rest of its checkpoint stored.',
    killedBy: ['REFUSAL-01', 'CHECKPOINT-15'],
    around: (store) => ({ ...store, checkpoints: savingTheRest(store.checkpoints) }),
  },
];

function savingTheRest(store: BundledStore['checkpoints']): BundledStore['checkpoints'] {
  return markGuarded(
    new Proxy(store, {
      get: (target, key) => {
        if (key !== 'save') return Reflect.get(target, key, target);
        const save: typeof target.save = async (sessionId, checkpoint, options) => {
          try {
            await target.save(sessionId, checkpoint, options);
          } catch (error) {
            const { stepIndex, status } = checkpoint;
            await target.save(sessionId, { sessionId, stepIndex, messages: [], ...(status && { status }) });
            throw error;
          }
        };
        return save;
      },
    }),
  );
}
