import { SDKError } from '@lousho/core/contract';
import { errorOf, promise, promiseRefusal, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { approval, checkpoint, decision, ID, TTL, user } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { BASIC, FENCED } from '../methods.js';
import { everyCall } from './every-call.js';

const needs = { methods: [...BASIC, 'close'] } as const;
const lasting = { survives: ['process-crash', 'power-loss'] } as const;

export const closeClosing = [
  ...sentence(
    'CLOSE-01',
    'After `close()` every call of every part rejects with `LOUSHO_STORE_CLOSED`.',
    {
      needs,
      check: async ({ open }) => {
        const client = await open();
        const calls = everyCall(client);
        await client.close();
        for (const [name, call] of calls)
          await promiseRefusal(`${name}() after close()`, 'LOUSHO_STORE_CLOSED', call);
      },
    },
    {
      name: 'unused',
      needs,
      check: async ({ open }) => {
        const client = await open();
        await client.close();
        await promiseRefusal('load() of a store that was never used', 'LOUSHO_STORE_CLOSED', () =>
          client.checkpoints.load(ID),
        );
      },
    },
  ),
  ...sentence('CLOSE-02', 'Closing twice succeeds.', {
    needs,
    check: async ({ open }) => {
      const client = await open();
      await client.checkpoints.save(ID, checkpoint());
      await Promise.all([client.close(), client.close()]);
      await client.close();
    },
  }),
  ...sentence(
    'CLOSE-03',
    'A save that was under way when the store was closed either completed or rejects with a code; it is never half there.',
    {
      needs,
      under: 'concurrency',
      check: async ({ open }) => {
        const { answers } = await closeUnderSaves(await open());
        const uncoded = answers.filter(({ error }) => error !== undefined && !(error instanceof SDKError));
        promiseSame('errors without a code', uncoded, []);
      },
    },
    {
      name: 'whole',
      needs: { ...needs, ...lasting },
      under: 'concurrency',
      check: async ({ open }) => {
        const { answers } = await closeUnderSaves(await open());
        const { checkpoints } = await open();
        for (const { id, error } of answers) {
          const loaded = await checkpoints.load(id);
          const whole = checkpoint({ sessionId: id });
          if (error === undefined || loaded !== null)
            promiseSame('what the next client loads', loaded, whole);
        }
      },
    },
  ),
  ...sentence('CLOSE-04', 'Closing one client leaves the other clients of the storage working.', {
    needs: { methods: [...FENCED, 'close'], reach: ['host', 'network'] },
    check: async ({ open }) => {
      const [client, other] = [await open(), await open()];
      await client.checkpoints.acquireLease(ID, 'worker-a', TTL);
      await client.checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
      await client.close();
      promiseSame('another client loads', await other.checkpoints.load(ID), checkpoint({ revision: 1 }));
      const rival = await other.checkpoints.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-b');
      promiseSame('a rival’s save by it', rival, false);
      const save = await other.checkpoints.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-a');
      promiseSame('the holder’s save by it', save, true);
    },
  }),
  ...sentence(
    'CLOSE-05',
    'Unless `survives` is `nothing`, all that was acknowledged is there for the next client.',
    {
      needs: { ...needs, ...lasting },
      check: async ({ open }) => {
        const client = await open();
        const partial: Partial<Client> = client;
        await client.checkpoints.save(ID, checkpoint({ revision: 1 }));
        await partial.approvals?.save(approval(), { step: 1 });
        await partial.approvals?.decide('approval-1', decision());
        await partial.sessions?.saveIf('chat-1', 0, [user('one')]);
        await client.close();
        const next: Partial<Client> & Pick<Client, 'checkpoints'> = await open();
        promiseSame('the next client loads', await next.checkpoints.load(ID), checkpoint({ revision: 1 }));
        if (next.approvals) {
          const kept = { approval: approval(), snapshot: { step: 1 }, decision: decision() };
          promiseSame('the approval', await next.approvals.load('approval-1'), kept);
        }
        if (next.sessions) {
          const kept = { revision: 1, messages: [user('one')] };
          promiseSame('the transcript', await next.sessions.load('chat-1'), kept);
        }
      },
    },
    {
      name: 'lease',
      needs: { methods: [...FENCED, 'close'], ...lasting },
      check: async ({ open }) => {
        const client = await open();
        await client.checkpoints.acquireLease(ID, 'worker-a', TTL);
        await client.close();
        const { checkpoints } = await open();
        const rival = await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-b');
        promiseSame('a rival’s save by the next client', rival, false);
        const save = await checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
        promiseSame('the holder’s save by it', save, true);
      },
    },
  ),
  ...sentence(
    'CLOSE-06',
    'Unless `survives` is `nothing`, all that was acknowledged to a process is there after it was killed, and nothing is half there.',
    {
      tier: 1,
      needs: { methods: BASIC, ...lasting, reach: ['host', 'network'], seams: ['processes'] },
      under: 'fault',
      check: async ({ elsewhere, random }) => {
        const reader = await elsewhere();
        for (let round = 0; round < 3; round++) {
          const sessionId = `run-${round}`;
          const victim = await elsewhere();
          const killAfter = 3 + random.int(20);
          let acknowledged = 0;
          let sent = 0;
          const saving = (async () => {
            for (let revision = 1; ; revision++) {
              sent = revision;
              const save = checkpoint({ sessionId, revision, messages: [user('x'.repeat(revision * 50))] });
              await victim.checkpoints.save(sessionId, save);
              acknowledged = revision;
              if (revision === killAfter) void victim.kill();
            }
          })();
          await errorOf(() => saving);
          await victim.kill();
          const loaded = await reader.checkpoints.load(sessionId);
          const revision = loaded?.revision ?? 0;
          const isKept = revision >= acknowledged && revision <= sent;
          promise(
            `of ${acknowledged} acknowledged saves and ${sent} sent ones the last is loaded`,
            isKept,
            `revision ${revision}`,
          );
          promiseSame('it is whole', loaded?.messages, [user('x'.repeat(revision * 50))]);
        }
      },
    },
  ),
  ...sentence(
    'CLOSE-07',
    "With `survives: 'nothing'` what was saved may be gone after the close; if it is there, it is whole.",
    {
      needs: { ...needs, survives: ['nothing'] },
      check: async ({ open }) => {
        const client = await open();
        await client.checkpoints.save(ID, checkpoint({ revision: 1 }));
        await client.close();
        const next = await open();
        const error = await errorOf(async () => {
          const loaded = await next.checkpoints.load(ID);
          if (loaded !== null) promiseSame('what the next client loads', loaded, checkpoint({ revision: 1 }));
        });
        if (error === undefined || (error instanceof SDKError && error.code === 'LOUSHO_STORE_CLOSED'))
          return;
        throw error;
      },
    },
  ),
];

/** Twenty saves, and the close while they are under way. */
async function closeUnderSaves(client: Client) {
  const saving = Array.from({ length: 20 }, async (_, index) => {
    const id = `run-${index}`;
    return { id, error: await errorOf(() => client.checkpoints.save(id, checkpoint({ sessionId: id }))) };
  });
  await client.close();
  return { answers: await Promise.all(saving) };
}
