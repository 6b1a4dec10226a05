import { promise, promiseGranted, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID, messages, TTL } from '../../world/builders.js';
import type { Client } from '../../world/client.js';
import { inEitherOrder } from '../in-either-order.js';
import { FENCED } from '../methods.js';

const needs = { methods: FENCED, fencing: ['atomic'] } as const;
const ROUNDS = 12;

export const fenceRaces = [
  ...sentence(
    'FENCE-13',
    'A save that arrives at the same time as a take-over is stored before it, or answers `false`.',
    {
      needs: { ...needs, seams: ['clock'] },
      under: 'concurrency',
      check: async ({ open, advance, claims }) => {
        const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
        for (let round = 0; round < ROUNDS; round++) {
          const sessionId = `run-${round}`;
          await a.acquireLease(sessionId, 'worker-a', TTL);
          await a.saveIfLeased(sessionId, checkpoint({ sessionId, revision: 1 }), 'worker-a');
          await advance(TTL + claims.graceMs);
          const [late, lease] = await inEitherOrder(
            round % 2 === 1,
            () => a.saveIfLeased(sessionId, checkpoint({ sessionId, revision: 2 }), 'worker-a'),
            () => b.acquireLease(sessionId, 'worker-b', TTL),
          );
          promiseGranted('the rival takes the expired lease', lease);
          const seen = (await b.load(sessionId))?.revision;
          promiseSame(`the racing save was answered ${late}; the stored revision is`, seen, late ? 2 : 1);
          const after = await a.saveIfLeased(sessionId, checkpoint({ sessionId, revision: 3 }), 'worker-a');
          promiseSame('a save after the take-over', after, false);
        }
      },
    },
  ),
  ...sentence(
    'FENCE-14',
    'After a delete and a save at the same time the id is deleted, whatever the save was answered.',
    {
      needs,
      under: 'concurrency',
      check: async ({ open }) => {
        const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
        for (let round = 0; round < ROUNDS; round++) {
          const sessionId = `run-${round}`;
          await a.acquireLease(sessionId, 'worker-a', TTL);
          await a.saveIfLeased(sessionId, checkpoint({ sessionId, revision: 1 }), 'worker-a');
          const [answer] = await inEitherOrder(
            round % 2 === 1,
            () => a.saveIfLeased(sessionId, checkpoint({ sessionId, revision: 2 }), 'worker-a'),
            () => b.delete(sessionId),
          );
          promiseSame(
            `the racing save was answered ${answer}; the deleted id loads as`,
            await b.load(sessionId),
            null,
          );
        }
      },
    },
  ),
  ...sentence(
    'FENCE-15',
    'A save that arrives at the same time as the release is stored exactly if it was answered `true`.',
    {
      needs,
      under: 'concurrency',
      check: async ({ open }) => {
        const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
        for (let round = 0; round < ROUNDS; round++) {
          const sessionId = `run-${round}`;
          await a.acquireLease(sessionId, 'worker-a', TTL);
          const [answer] = await inEitherOrder(
            round % 2 === 1,
            () => a.saveIfLeased(sessionId, checkpoint({ sessionId, revision: 1 }), 'worker-a'),
            () => b.releaseLease(sessionId, 'worker-a'),
          );
          const stored = (await b.load(sessionId)) !== null;
          promise(`a save answered ${answer} is stored: ${answer}`, stored === answer, `stored: ${stored}`);
          promiseGranted('the id is free', await b.acquireLease(sessionId, 'worker-b', TTL));
        }
      },
    },
  ),
  ...sentence(
    'FENCE-16',
    'One save that arrives several times at once is stored once, and all are answered `true`.',
    {
      needs: { ...needs, methods: [...FENCED, 'checkpoints.history'] },
      under: 'concurrency',
      check: async ({ open }) => {
        const clients = await Promise.all([open(), open()]);
        const [{ checkpoints }] = clients;
        await checkpoints.acquireLease(ID, 'worker-a', TTL);
        for (let revision = 1; revision <= 6; revision++) {
          const save = checkpoint({ revision, messages: messages('a'.repeat(revision)) });
          const options = { unchangedMessages: revision - 1 };
          const answers = await Promise.all(
            Array.from({ length: 6 }, (_, index) =>
              (clients[index % 2] as Client).checkpoints.saveIfLeased(ID, save, 'worker-a', options),
            ),
          );
          promiseSame('one save sent six times at once is answered', answers, Array(6).fill(true));
          promiseSame('the history has entries', (await checkpoints.history(ID)).length, revision);
          promiseSame('load gives the save', await checkpoints.load(ID), save);
        }
      },
    },
  ),
  ...sentence('FENCE-17', 'A save that was answered `true` is not removed by a prune at the same time.', {
    needs: { ...needs, methods: [...FENCED, 'prune'], seams: ['clock'] },
    under: 'concurrency',
    check: async ({ open, advance, claims }) => {
      const [a, b] = [(await open()).checkpoints, await open()];
      for (let round = 0; round < ROUNDS; round++) {
        const sessionId = `run-${round}`;
        const finished = (revision: number) => checkpoint({ sessionId, revision, status: 'finished' });
        await a.acquireLease(sessionId, 'worker-a', TTL);
        await a.saveIfLeased(sessionId, finished(1), 'worker-a');
        await advance(TTL + claims.graceMs + 60_000);
        const [answer] = await inEitherOrder(
          round % 2 === 1,
          () => a.saveIfLeased(sessionId, finished(2), 'worker-a'),
          () => b.prune({ olderThanMs: 60_000 }),
        );
        const seen = (await b.checkpoints.load(sessionId))?.revision;
        promiseSame(
          `the racing save was answered ${answer}; the stored revision is`,
          seen,
          answer ? 2 : undefined,
        );
      }
    },
  }),
  ...sentence('FENCE-18', 'Saves of one holder that are sent without waiting are applied in their order.', {
    needs: { ...needs, methods: [...FENCED, 'checkpoints.history'] },
    under: 'concurrency',
    check: async ({ open }) => {
      const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
      await a.acquireLease(ID, 'worker-a', TTL);
      const acknowledged: number[] = [];
      const saves = Array.from({ length: 20 }, async (_, index) => {
        const save = checkpoint({ revision: index + 1, messages: messages('a'.repeat(index + 1)) });
        if (await a.saveIfLeased(ID, save, 'worker-a')) acknowledged.push(index + 1);
      });
      await Promise.all(saves);
      promiseSame('saves sent without waiting are all accepted', acknowledged.length, 20);
      const last = await b.load(ID);
      promiseSame('the last one is loaded', last?.revision, 20);
      promiseSame('with its own messages', last?.messages.length, 20);
      const revisions = (await b.history(ID)).map((entry) => entry.checkpoint.revision ?? 0);
      const isFalling = revisions.every(
        (revision, index) => index === 0 || revision < (revisions[index - 1] ?? 0),
      );
      promise('the kept revisions fall from 20', revisions[0] === 20 && isFalling, revisions);
    },
  }),
];
