import { promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { approval, checkpoint, decision, user } from '../../world/builders.js';
import { APPROVALS, BASIC, FENCED, SESSIONS } from '../methods.js';
import { DAY, NOTHING, saveFinished } from './checkpoints.js';

const seams = ['clock'] as const;
const approvalNeeds = { methods: [...BASIC, ...APPROVALS, 'prune'], seams } as const;
const sessionNeeds = { methods: [...BASIC, ...SESSIONS, 'prune'], seams } as const;

export const pruneOthers = [
  ...sentence(
    'PRUNE-05',
    'Approvals decided more than `olderThanMs` ago are removed; the age counts from the decision.',
    {
      needs: approvalNeeds,
      check: async ({ open, advance }) => {
        const client = await open();
        for (const id of ['early', 'late']) await client.approvals.save(approval({ id }), {});
        await client.approvals.decide('early', decision({ id: 'early' }));
        await advance(2 * DAY);
        await client.approvals.decide('late', decision({ id: 'late' }));
        promiseSame('it says', await client.prune({ olderThanMs: DAY }), { ...NOTHING, approvals: 1 });
        promiseSame('the one decided early loads as', await client.approvals.load('early'), null);
        promiseSame(
          'the late decision',
          (await client.approvals.load('late'))?.decision,
          decision({ id: 'late' }),
        );
      },
    },
  ),
  ...sentence('PRUNE-06', 'An undecided approval stays, however old.', {
    needs: approvalNeeds,
    check: async ({ open, advance }) => {
      const client = await open();
      await client.approvals.save(approval(), {});
      await advance(365 * DAY);
      promiseSame('it says', await client.prune({ olderThanMs: 0 }), NOTHING);
      promiseSame('the undecided ones', (await client.approvals.list()).length, 1);
    },
  }),
  ...sentence(
    'PRUNE-07',
    "A decision stays while the checkpoint that waits for it is unfinished: the one of the approval's `sessionId`, or of a turn of it, that names it in `approvalId` or `approvalIds`.",
    {
      needs: approvalNeeds,
      check: async ({ open, advance }) => {
        const client = await open();
        const runs = { one: 'a', two: 'chat-1', three: 'nobody' };
        for (const [id, sessionId] of Object.entries(runs)) {
          await client.approvals.save(approval({ id, sessionId }), {});
          await client.approvals.decide(id, decision({ id }));
        }
        await saveFinished(client, 'a', { revision: 1, status: 'awaiting-approval', approvalId: 'one' });
        await saveFinished(client, 'chat-1.turn-3', {
          revision: 1,
          status: 'in-progress',
          approvalIds: ['two'],
        });
        await advance(2 * DAY);
        promiseSame('it says', await client.prune({ olderThanMs: DAY }), { ...NOTHING, approvals: 1 });
        for (const id of ['one', 'two']) {
          promiseSame(
            `the decision of \`${id}\``,
            (await client.approvals.load(id))?.decision,
            decision({ id }),
          );
        }
        await saveFinished(client, 'a', { revision: 2 });
        await saveFinished(client, 'chat-1.turn-3', { revision: 2 });
        const then = await client.prune({ olderThanMs: DAY });
        promiseSame('when the runs are over it says', then, { ...NOTHING, approvals: 2 });
      },
    },
  ),
  ...sentence('PRUNE-08', 'Transcripts whose last commit is older than `olderThanMs` are removed.', {
    needs: sessionNeeds,
    check: async ({ open, advance }) => {
      const client = await open();
      await client.sessions.saveIf('old', 0, [user('one')]);
      await client.sessions.saveIf('young', 0, [user('one')]);
      await advance(2 * DAY);
      await client.sessions.saveIf('young', 1, [user('one'), user('two')]);
      promiseSame('it says', await client.prune({ olderThanMs: DAY }), { ...NOTHING, sessions: 1 });
      promiseSame('the old one loads as', await client.sessions.load('old'), null);
      promiseSame('the young one’s revision', (await client.sessions.load('young'))?.revision, 2);
      promiseSame('a second prune says', await client.prune({ olderThanMs: DAY }), NOTHING);
    },
  }),
  ...sentence('SESSION-07', 'A revision is never used twice for one id, also across a delete or a prune.', {
    name: 'prune',
    needs: sessionNeeds,
    check: async ({ open, advance }) => {
      const client = await open();
      await client.sessions.saveIf('old', 0, [user('one')]);
      await advance(2 * DAY);
      await client.prune({ olderThanMs: DAY });
      promiseSame(
        'a commit on the pruned revision',
        await client.sessions.saveIf('old', 1, [user('stale')]),
        false,
      );
      promiseSame('a commit on revision 0', await client.sessions.saveIf('old', 0, [user('anew')]), true);
      promiseSame('its revision', (await client.sessions.load('old'))?.revision, 2);
    },
  }),
  ...sentence(
    'PRUNE-09',
    'A transcript stays while a checkpoint of its id, or of one of its turns (`<id>.turn-<n>`, `<id>.paused`), is unfinished.',
    {
      needs: sessionNeeds,
      check: async ({ storage, advance }) => {
        for (const key of ['chat-1', 'chat-1.turn-4', 'chat-1.paused']) {
          const client = await (await storage()).open();
          for (const id of ['chat-1', 'chat-10', 'chat']) await client.sessions.saveIf(id, 0, [user('one')]);
          await saveFinished(client, key, { revision: 1, status: 'awaiting-approval' });
          await saveFinished(client, 'chat-10.turn-1', { revision: 1 });
          await advance(2 * DAY);
          const first = await client.prune({ olderThanMs: DAY });
          promiseSame(`while \`${key}\` is unfinished it says`, first, {
            ...NOTHING,
            checkpoints: 1,
            sessions: 2,
          });
          promiseSame('the transcript is', (await client.sessions.load('chat-1'))?.messages, [user('one')]);
          await saveFinished(client, key, { revision: 2 });
          await advance(2 * DAY);
          const then = await client.prune({ olderThanMs: DAY });
          promiseSame('when it is over it says', then, { ...NOTHING, checkpoints: 1, sessions: 1 });
        }
      },
    },
  ),
  ...sentence('PRUNE-12', 'A prune loses nothing that is saved at the same time.', {
    needs: { methods: [...FENCED, ...APPROVALS, ...SESSIONS, 'prune'], seams },
    under: 'concurrency',
    check: async ({ open, advance }) => {
      const [writer, pruner] = [await open(), await open()];
      const ids = Array.from({ length: 8 }, (_, index) => `old-${index}`);
      for (const id of ids) await saveFinished(writer, id);
      await advance(2 * DAY);
      const acts = Array.from({ length: 8 }, (_, index) => [
        () =>
          writer.checkpoints.save(
            `new-${index}`,
            checkpoint({ sessionId: `new-${index}`, status: 'finished' }),
          ),
        () => writer.approvals.save(approval({ id: `new-${index}` }), {}),
        () => writer.sessions.saveIf(`new-${index}`, 0, [user('one')]),
        () => pruner.prune({ olderThanMs: DAY }),
      ]).flat();
      await Promise.all(acts.map((act) => act()));
      for (let index = 0; index < 8; index++) {
        const saved = await pruner.checkpoints.load(`new-${index}`);
        promiseSame('the new checkpoint', saved?.status, 'finished');
        promiseSame(
          'the new approval',
          (await pruner.approvals.load(`new-${index}`))?.approval.id,
          `new-${index}`,
        );
        promiseSame('the new transcript', (await pruner.sessions.load(`new-${index}`))?.revision, 1);
      }
      await pruner.prune({ olderThanMs: DAY });
      for (const id of ids) promiseSame('the old one loads as', await writer.checkpoints.load(id), null);
    },
  }),
];
