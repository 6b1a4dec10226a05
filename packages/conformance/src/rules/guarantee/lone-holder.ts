import { transcriptFaults } from '@lousho/core/testing';
import { promise, promiseSame, refusalOf } from '../../check/promise.js';
import { show } from '../../check/show.js';
import { sentence } from '../../model/rule.js';
import { ID, TTL } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { workbench } from '../../world/workbench.js';
import type { World } from '../../world/world.js';
import { settled, until, worldClock } from '../../world/world-clock.js';
import { ALL_CHECKPOINTS, APPROVALS, FENCED } from '../methods.js';
import { deferred } from './deferred.js';

const needs = {
  methods: FENCED,
  fencing: ['atomic'],
  reads: ['latest'],
  clock: ['store', 'host', 'caller'],
  seams: ['clock'],
} as const;

/** One run, and others that would advance it. */
export const guaranteeLoneHolder = [
  ...sentence(
    'EFFECT-02',
    'A run keeps its lease for as long as its process lives, however long a call takes.',
    {
      needs,
      under: 'fault',
      check: async (world) => {
        const [client, other] = [await world.open(), await world.open()];
        const gate = deferred();
        const run = workbench(world, client, {
          turns: [['work_1'], 'Done.'],
          tools: { work: () => gate.promise },
        });
        const running = run.agent.send('Go', { sessionId: ID });
        await until(() => run.started.length === 1);
        for (let beat = 0; beat < 12; beat++) {
          await world.advance(TTL / 3);
          await until(async () => (await other.checkpoints.acquireLease(ID, 'rival', TTL)) === false);
        }
        gate.resolve();
        promiseSame(
          'after a call of four times the lease the run ends as',
          (await running).finishReason,
          'stop',
        );
      },
    },
  ),
  ...sentence('EFFECT-03', 'A run that stalled for longer than its lease, and was not replaced, goes on.', {
    needs,
    under: 'fault',
    check: async (world) => {
      const client = await world.open();
      const gate = deferred();
      // Its own clock stands still: no heartbeat ever runs.
      const run = workbench({ clock: worldClock() }, client, {
        turns: [['work_1'], 'Done.'],
        tools: { work: () => gate.promise },
      });
      const running = run.agent.send('Go', { sessionId: ID });
      await until(() => run.started.length === 1);
      await world.advance(10 * TTL + world.claims.graceMs);
      gate.resolve();
      promiseSame('the run that nobody replaced ends as', (await running).finishReason, 'stop');
      promiseSame('it is stored as', (await client.checkpoints.load(ID))?.status, 'finished');
    },
  }),
  ...sentence('EFFECT-04', 'A run that is deleted starts nothing more, and does not come back.', {
    needs,
    under: 'fault',
    check: async (world) => {
      const [client, other] = [await world.open(), await world.open()];
      const gate = deferred();
      const run = workbench(world, client, {
        turns: [['work_1', 'work_2'], 'Done.'],
        tools: { work: () => gate.promise },
        toolConcurrency: 1,
      });
      const running = refusalOf(() => run.agent.send('Go', { sessionId: ID }));
      await until(() => run.started.length === 1);
      await other.checkpoints.delete(ID);
      gate.resolve();
      const code = await running;
      promise('the deleted run rejects with LOUSHO_SESSION_BUSY', code === 'LOUSHO_SESSION_BUSY', code);
      promiseSame('the calls that it started', run.started, ['work_1']);
      promiseSame('the deleted id loads as', await other.checkpoints.load(ID), null);
    },
  }),
  ...sentence(
    'RECOVERY-01',
    'Of any number of processes that resume one run at the same time one advances it; the others are answered `LOUSHO_SESSION_BUSY`, or find it finished.',
    {
      needs,
      under: 'concurrency',
      check: async (world) => {
        const turns = [['work_1'], 'Done.'];
        const [client, other] = [await world.open(), await world.open()];
        await interruptedRun(world, client);
        const resumers = [client, other, client, other].map((one) => workbench(world, one, { turns }));
        const answers = await Promise.all(resumers.map(({ agent }) => refusalOf(() => agent.resume(ID))));
        const started = resumers.flatMap((one) => one.started);
        promiseSame('four that resume one run at once start', started, ['work_1']);
        const isFine = answers.every((answer) =>
          ['the call succeeded', 'LOUSHO_SESSION_BUSY'].includes(answer),
        );
        promise('each of them succeeds or is answered LOUSHO_SESSION_BUSY', isFine, answers);
        promiseSame('the run is stored as', (await other.checkpoints.load(ID))?.status, 'finished');
      },
    },
  ),
  ...sentence('RECOVERY-02', 'Resuming a finished run does nothing.', {
    needs,
    check: async (world) => {
      const client = await world.open();
      const turns = [['work_1'], 'Done.'];
      await workbench(world, client, { turns }).agent.send('Go', { sessionId: ID });
      const before = await client.checkpoints.load(ID);
      const again = workbench(world, await world.open(), { turns });
      promiseSame('resuming a finished run gives', await again.agent.resume(ID), null);
      promiseSame('it starts', again.started, []);
      promiseSame('it is stored as it was', await client.checkpoints.load(ID), before);
    },
  }),
  ...sentence('RECOVERY-03', 'Replicas that recover the same runs finish each of them once.', {
    needs: { ...needs, methods: ALL_CHECKPOINTS },
    under: 'concurrency',
    check: async (world) => {
      const turns = [['work_1'], 'Done.'];
      const clients = [await world.open(), await world.open()] as const;
      const ids = Array.from({ length: 5 }, (_, index) => `run-${index}`);
      for (const id of ids) await interruptedRun(world, clients[0], id);
      const replicas = clients.map((client) => workbench(world, client, { turns }));
      const failures: unknown[] = [];
      const recoveries = replicas.map(({ agent }) =>
        agent.recover({ intervalMs: 1_000, onError: (error) => failures.push(error) }),
      );
      const unfinished = async () => (await clients[0].checkpoints.listPending()).length;
      while ((await unfinished()) > 0) {
        await world.advance(500);
        await settled();
      }
      await Promise.all(recoveries.map((recovery) => recovery.stop()));
      promiseSame('the errors of two recovering replicas', failures, []);
      const started = replicas.flatMap((replica) => replica.started).length;
      promiseSame('the calls that both started for five runs', started, 5);
    },
  }),
  ...sentence(
    'VALIDITY-01',
    "A run's saves have the revisions 1, 2, 3, and so on, and each transcript begins with the one before it.",
    {
      needs: { ...needs, methods: [...FENCED, 'checkpoints.history'] },
      check: async (world) => {
        const client = await world.open();
        const turns = [['a_1', 'b_1'], ['a_2'], 'Done.', ['b_2'], 'Done again.'];
        const { agent } = workbench(world, client, { turns });
        for (const input of ['Go', 'Once more']) await agent.send(input, { sessionId: ID });
        const history = [...(await client.checkpoints.history(ID))].reverse();
        const revisions = history.map((entry) => entry.checkpoint.revision);
        promiseSame(
          'the revisions of the saves',
          revisions,
          history.map((_, index) => index + 1),
        );
        const transcripts = history.map((entry) => entry.checkpoint.messages);
        for (const [index, messages] of transcripts.slice(1).entries()) {
          const before = transcripts[index] ?? [];
          promiseSame(`save ${index + 2} begins with`, messages.slice(0, before.length), before);
        }
      },
    },
  ),
  ...sentence(
    'VALIDITY-02',
    'From each save of a run a resumed one reaches the same end, with requests that every provider takes.',
    {
      needs: { ...needs, methods: [...FENCED, 'checkpoints.history'] },
      under: 'fault',
      timeLimitMs: 60_000,
      check: async (world) => {
        const source = await world.open();
        const turns = [['a_1', 'b_1'], ['a_2'], 'Done.'];
        await workbench(world, source, { turns, toolConcurrency: 1 }).agent.send('Go', { sessionId: ID });
        const wanted = (await source.checkpoints.load(ID))?.messages;
        for (const { checkpoint } of await source.checkpoints.history(ID)) {
          const client = await (await world.storage()).open();
          await client.checkpoints.save(ID, checkpoint);
          const next = workbench(world, client, { turns, toolConcurrency: 1 });
          await next.agent.resume(ID);
          const stored = await client.checkpoints.load(ID);
          promiseSame(
            `a run resumed from revision ${checkpoint.revision} ends with`,
            stored?.messages,
            wanted,
          );
          const faults = next.asked.flatMap(({ messages }) => transcriptFaults(messages));
          promise('every request is one that providers take', faults.length === 0, show(faults));
        }
      },
    },
  ),
  ...sentence(
    'CONSUME-01',
    'Of any number of processes that give one decision at the same time exactly one goes on with the run, and the approved call runs once.',
    {
      needs: { ...needs, methods: [...FENCED, ...APPROVALS] },
      under: 'concurrency',
      check: async (world) => {
        const clients = [await world.open(), await world.open()] as const;
        const options = { turns: [['refund_1'], 'Done.'], safety: { refund: { needsApproval: true } } };
        for (let round = 0; round < 3; round++) {
          const sessionId = `run-${round}`;
          await workbench(world, clients[0], options).agent.send('Go', { sessionId });
          const [asked] = await clients[1].approvals.list();
          promise('the run asks for approval', asked !== undefined, asked);
          const deciders = Array.from({ length: 6 }, (_, by) =>
            workbench(world, clients[by % 2] as Client, options),
          );
          let isOver = false;
          const deciding = Promise.all(
            deciders.map(({ agent }) =>
              refusalOf(() => agent.approvals.resolve({ id: asked?.id ?? '', approved: true })),
            ),
          ).finally(() => {
            isOver = true;
          });
          // Whoever finds the run held waits a moment before it gives up.
          while (!isOver) {
            await world.advance(10);
            await settled();
          }
          const answers = await deciding;
          const winners = answers.filter((answer) => answer === 'the call succeeded').length;
          promise('exactly one of six that decide at once goes on with the run', winners === 1, answers);
          const started = deciders.flatMap((one) => one.started);
          promiseSame('the approved call runs', started, ['refund_1']);
          promiseSame(
            'the run is stored as',
            (await clients[1].checkpoints.load(sessionId))?.status,
            'finished',
          );
        }
      },
    },
  ),
  ...sentence('CONSUME-02', 'A decided approval is not decided again: a call that was refused never runs.', {
    needs: { ...needs, methods: [...FENCED, ...APPROVALS] },
    check: async (world) => {
      const [client, other] = [await world.open(), await world.open()];
      const options = { turns: [['refund_1'], 'Done.'], safety: { refund: { needsApproval: true } } };
      await workbench(world, client, options).agent.send('Go', { sessionId: ID });
      const [asked] = await other.approvals.list();
      const decision = { id: asked?.id ?? '', approved: false };
      const first = workbench(world, other, options);
      promiseSame(
        'the refused run ends as',
        (await first.agent.approvals.resolve(decision)).finishReason,
        'stop',
      );
      const second = workbench(world, client, options);
      const code = await refusalOf(() => second.agent.approvals.resolve({ ...decision, approved: true }));
      promise('a second decision is refused', code !== 'the call succeeded', code);
      promiseSame('the calls that were started', [...first.started, ...second.started], []);
    },
  }),
];

/** A run whose process died in its first call, with its lease run out. */
async function interruptedRun(world: World, client: Client, sessionId = ID): Promise<void> {
  const dead = workbench({ clock: worldClock() }, client, {
    turns: [['work_1'], 'Done.'],
    tools: { work: () => new Promise(() => {}) },
  });
  void dead.agent.send('Go', { sessionId }).catch(() => {});
  await until(() => dead.started.length === 1);
  await world.advance(TTL + world.claims.graceMs);
}
