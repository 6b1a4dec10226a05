import { promise, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { messages, user } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { inEitherOrder } from '../in-either-order.js';
import { SESSIONS } from '../methods.js';

const needs = { methods: SESSIONS };
const ID = 'chat-1';

export const sessionTranscripts = [
  ...sentence('SESSION-01', 'Loading an unknown id gives `null`.', {
    needs,
    check: async ({ open }) => {
      promiseSame('an unknown id loads as', await (await open()).sessions.load('nobody'), null);
    },
  }),
  ...sentence('SESSION-02', '`saveIf` with `expectedRevision` 0 stores where there is no transcript.', {
    needs,
    check: async ({ open }) => {
      const [a, b] = [(await open()).sessions, (await open()).sessions];
      promiseSame('the first commit', await a.saveIf(ID, 0, [user('one')]), true);
      promiseSame('another client loads', await b.load(ID), { revision: 1, messages: [user('one')] });
    },
  }),
  ...sentence(
    'SESSION-03',
    '`saveIf` with any other than the stored revision answers `false` and changes nothing.',
    {
      needs,
      check: async ({ open }) => {
        const { sessions } = await open();
        promiseSame(
          'a commit on revision 1 of nothing',
          await sessions.saveIf(ID, 1, [user('stray')]),
          false,
        );
        promiseSame('the id loads as', await sessions.load(ID), null);
        await sessions.saveIf(ID, 0, [user('one')]);
        await sessions.saveIf(ID, 1, [user('two')]);
        for (const expected of [0, 1, 3, 99]) {
          promiseSame(
            `a commit on revision ${expected}`,
            await sessions.saveIf(ID, expected, [user('stray')]),
            false,
          );
        }
        promiseSame('it loads as', await sessions.load(ID), { revision: 2, messages: [user('two')] });
      },
    },
  ),
  ...sentence('SESSION-04', 'Each commit gives the stored revision plus one.', {
    needs,
    check: async ({ open }) => {
      const [a, b] = [(await open()).sessions, (await open()).sessions];
      for (let expected = 0; expected < 4; expected++) {
        const [writer, reader] = expected % 2 ? [a, b] : [b, a];
        const transcript = messages('a'.repeat(expected + 1));
        promiseSame('the commit', await writer.saveIf(ID, expected, transcript), true);
        promiseSame('the other client loads', await reader.load(ID), {
          revision: expected + 1,
          messages: transcript,
        });
      }
    },
  }),
  ...sentence(
    'SESSION-05',
    "Of any number of concurrent commits on one revision exactly one is answered `true`, and its messages are the stored ones; between processes this takes `fencing: 'atomic'`.",
    {
      needs,
      under: 'concurrency',
      check: async ({ open }) => commitAtOnce(await Promise.all([open(), open(), open(), open()])),
    },
    {
      name: 'processes',
      tier: 1,
      needs: { ...needs, fencing: ['atomic'], reach: ['host', 'network'], seams: ['processes'] },
      under: 'concurrency',
      check: async ({ elsewhere }) =>
        commitAtOnce(await Promise.all([elsewhere(), elsewhere(), elsewhere(), elsewhere()])),
    },
  ),
  ...sentence(
    'SESSION-06',
    'After `delete`, `load` gives `null` and revision 0 is the expected one; deleting an unknown id succeeds.',
    {
      needs,
      check: async ({ open }) => {
        const { sessions } = await open();
        await sessions.delete('nobody');
        await sessions.saveIf(ID, 0, [user('one')]);
        await sessions.delete(ID);
        await sessions.delete(ID);
        promiseSame('the deleted one loads as', await sessions.load(ID), null);
        promiseSame('a commit on revision 0', await sessions.saveIf(ID, 0, [user('anew')]), true);
        promiseSame('its messages', (await sessions.load(ID))?.messages, [user('anew')]);
      },
    },
  ),
  ...sentence('SESSION-07', 'A revision is never used twice for one id, also across a delete or a prune.', {
    needs,
    check: async ({ open }) => {
      const [a, b] = [(await open()).sessions, (await open()).sessions];
      await a.saveIf(ID, 0, [user('one')]);
      await a.saveIf(ID, 1, [user('two')]);
      await b.delete(ID);
      promiseSame('a commit on the deleted revision', await a.saveIf(ID, 2, [user('stale')]), false);
      promiseSame('a commit on revision 0', await b.saveIf(ID, 0, [user('anew')]), true);
      const revision = (await a.load(ID))?.revision ?? 0;
      promise('its revision is above those used before the delete', revision > 2, revision);
      for (const stale of [1, 2])
        promiseSame('a stale commit', await a.saveIf(ID, stale, [user('stale')]), false);
      promiseSame('the messages', (await a.load(ID))?.messages, [user('anew')]);
    },
  }),
  ...sentence('SESSION-08', 'An empty transcript is a transcript: it loads as `[]`.', {
    needs,
    check: async ({ open }) => {
      const { sessions } = await open();
      promiseSame('the commit', await sessions.saveIf(ID, 0, []), true);
      promiseSame('it loads as', await sessions.load(ID), { revision: 1, messages: [] });
      promiseSame('a commit on revision 0', await sessions.saveIf(ID, 0, [user('one')]), false);
    },
  }),
  ...sentence('SESSION-09', 'Transcripts of different ids are independent of each other.', {
    needs,
    check: async ({ open }) => {
      const { sessions } = await open();
      await Promise.all(['a', 'b', 'c', 'aa'].map((id) => sessions.saveIf(id, 0, [user(id)])));
      await sessions.delete('a');
      promiseSame('`b` holds', (await sessions.load('b'))?.messages, [user('b')]);
      promiseSame('`aa` holds', (await sessions.load('aa'))?.messages, [user('aa')]);
      promiseSame('a commit to `c`', await sessions.saveIf('c', 1, [user('c2')]), true);
    },
  }),
  ...sentence(
    'SESSION-10',
    'Of any number of writers that load, append and commit until they succeed, no message is lost.',
    {
      needs,
      under: 'concurrency',
      check: async ({ open }) => {
        const clients = await Promise.all([open(), open()]);
        const workers = Array.from({ length: 6 }, async (_, worker) => {
          const { sessions } = clients[worker % 2] as Client;
          for (let added = 0; added < 5; ) {
            const { revision, messages: before } = (await sessions.load(ID)) ?? { revision: 0, messages: [] };
            if (await sessions.saveIf(ID, revision, [...before, user(`${worker}/${added}`)])) added += 1;
          }
        });
        await Promise.all(workers);
        const { revision, messages: all } = (await clients[0].sessions.load(ID)) ?? {
          revision: 0,
          messages: [],
        };
        promiseSame('the revision is the number of commits', revision, 30);
        promiseSame('each commit’s message is there', new Set(all.map(({ content }) => content)).size, 30);
      },
    },
  ),
  ...sentence(
    'SESSION-11',
    'After a commit and a delete at the same time the transcript is deleted, whatever the commit was answered.',
    {
      needs,
      under: 'concurrency',
      check: async ({ open }) => {
        const [a, b] = [(await open()).sessions, (await open()).sessions];
        for (let round = 0; round < 10; round++) {
          const id = `chat-${round}`;
          await a.saveIf(id, 0, [user('one')]);
          const [answer] = await inEitherOrder(
            round % 2 === 1,
            () => a.saveIf(id, 1, [user('two')]),
            () => b.delete(id),
          );
          promiseSame(`the commit was answered ${answer}; the deleted one loads as`, await b.load(id), null);
        }
      },
    },
  ),
];

/** Sixteen commits on one revision, round after round. */
async function commitAtOnce(clients: readonly Client[]): Promise<void> {
  for (let expected = 0; expected < 5; expected++) {
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, by) =>
        (clients[by % clients.length] as Client).sessions.saveIf(ID, expected, [user(`by ${by}`)]),
      ),
    );
    const winners = answers.flatMap((isStored, by) => (isStored ? [by] : []));
    promise('exactly one of 16 is answered `true`', winners.length === 1, answers);
    const stored = { revision: expected + 1, messages: [user(`by ${winners[0]}`)] };
    promiseSame('its messages are stored', await (clients.at(-1) as Client).sessions.load(ID), stored);
  }
}
