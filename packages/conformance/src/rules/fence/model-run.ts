import { promiseSame } from '../../check/promise.js';
import { LeaseModel } from '../../model/lease-model.js';
import { checkpoint, messages, TTL } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import type { World } from '../../world/world.js';

export const ACTS = [
  'acquire',
  'renew',
  'release',
  'delete',
  'save',
  'repeat',
  'late',
  'wait',
  'wait-long',
] as const;

/** One act of one of two owners, each with a client of its own. */
export interface Act {
  readonly owner: 0 | 1;
  readonly act: (typeof ACTS)[number];
}

/** Plays a sequence of acts on one id, and promises that each is answered as the model answers it, and the end as well. */
export async function playAgainstModel(
  { advance, claims }: Pick<World, 'advance' | 'claims'>,
  clients: readonly [Client, Client],
  sessionId: string,
  acts: readonly Act[],
): Promise<void> {
  const model = new LeaseModel(TTL, claims.graceMs);
  const told = acts.map(({ owner, act }) => `${act}(${OWNERS[owner]})`);
  for (const [index, { owner: by, act }] of acts.entries()) {
    const [owner, { checkpoints }] = [OWNERS[by], clients[by]];
    const soFar = () => told.slice(0, index + 1).join(' ');
    switch (act) {
      case 'acquire': {
        const lease = await checkpoints.acquireLease(sessionId, owner, TTL);
        promiseSame(`${soFar()} is granted`, lease !== false, model.acquire(owner));
        break;
      }
      case 'renew':
        promiseSame(soFar(), await checkpoints.renewLease(sessionId, owner, TTL), model.renew(owner));
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
        const revision = model.revision + BEHIND[act];
        if (revision < 1 || (act !== 'save' && !model.hasSaved(owner))) break;
        const save = {
          ...checkpoint({ revision, metadata: { owner } }),
          sessionId,
          messages: transcript(revision),
        };
        const options = { unchangedMessages: revision - 1 };
        promiseSame(
          soFar(),
          await checkpoints.saveIfLeased(sessionId, save, owner, options),
          model.save(owner, revision),
        );
        break;
      }
      case 'wait':
      case 'wait-long': {
        const ms = act === 'wait' ? TTL : TTL + claims.graceMs;
        await advance(ms);
        model.wait(ms);
        break;
      }
      default:
        act satisfies never;
    }
  }
  for (const { checkpoints } of clients) await promiseEnd(checkpoints, sessionId, model, told.join(' '));
}

async function promiseEnd(
  checkpoints: Client['checkpoints'],
  sessionId: string,
  model: LeaseModel,
  told: string,
): Promise<void> {
  const loaded = await checkpoints.load(sessionId);
  promiseSame(`after ${told} the revision is`, loaded?.revision ?? 0, model.revision);
  promiseSame(`after ${told} the messages are`, loaded?.messages ?? [], transcript(model.revision));
  promiseSame(`after ${told} it was saved by`, loaded?.metadata?.owner, model.savedBy);
  const { history } = checkpoints as Partial<Client['checkpoints']>;
  if (!history) return;
  const revisions = (await history.call(checkpoints, sessionId)).map((entry) => entry.checkpoint.revision);
  promiseSame(`after ${told} the kept revisions are`, revisions.reverse(), model.revisions.slice(-50));
}

const OWNERS = ['worker-a', 'worker-b'] as const;
const BEHIND = { save: 1, repeat: 0, late: -1 } as const;

function transcript(revision: number) {
  return messages('m'.repeat(revision)).map((message, index) => ({
    ...message,
    content: `message ${index}`,
  }));
}
