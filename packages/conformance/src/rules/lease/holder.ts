import { markOwnerEnded } from '@lousho/core/contract';
import { promise, promiseGranted, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID, TTL } from '../../world/builders.js';
import { BASIC, FENCED, LEASES } from '../methods.js';

const needs = { methods: LEASES };

export const leaseHolder = [
  ...sentence(
    'LEASE-08',
    "`renewLease` answers `false`, and takes nothing, for an id that is free, another's, released, deleted or taken over.",
    {
      needs: { methods: [...BASIC, ...LEASES] },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        promiseSame('renewing a free id', await checkpoints.renewLease(ID, 'worker-a', TTL), false);
        promiseGranted('it is still free', await checkpoints.acquireLease(ID, 'worker-b', TTL));
        promiseSame('renewing another’s', await checkpoints.renewLease(ID, 'worker-a', TTL), false);
        await checkpoints.releaseLease(ID, 'worker-b');
        promiseSame('renewing a released one', await checkpoints.renewLease(ID, 'worker-b', TTL), false);
        await checkpoints.acquireLease(ID, 'worker-b', TTL);
        await checkpoints.delete(ID);
        promiseSame('renewing a deleted one', await checkpoints.renewLease(ID, 'worker-b', TTL), false);
        promiseGranted('it is free', await checkpoints.acquireLease(ID, 'worker-c', TTL));
      },
    },
    {
      name: 'taken-over',
      needs: { ...needs, seams: ['clock'] },
      under: 'fault',
      check: async ({ open, advance, claims }) => {
        const [store, other] = [(await open()).checkpoints, (await open()).checkpoints];
        await store.acquireLease(ID, 'worker-a', TTL);
        await advance(TTL + claims.graceMs);
        promiseGranted('the rival takes it', await other.acquireLease(ID, 'worker-b', TTL));
        promiseSame('the replaced holder renews', await store.renewLease(ID, 'worker-a', TTL), false);
        await other.releaseLease(ID, 'worker-b');
        promiseSame(
          'it renews after its successor’s release',
          await store.renewLease(ID, 'worker-a', TTL),
          false,
        );
        promiseGranted('the id is free', await store.acquireLease(ID, 'worker-c', TTL));
      },
    },
  ),
  ...sentence('LEASE-10', '`releaseLease` by the holder frees the id at once.', {
    needs,
    check: async ({ open }) => {
      const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
      await a.acquireLease(ID, 'worker-a', TTL);
      await a.releaseLease(ID, 'worker-a');
      promiseGranted('another owner is granted it', await b.acquireLease(ID, 'worker-b', TTL));
    },
  }),
  ...sentence(
    'LEASE-11',
    '`releaseLease` by anybody else, or of an unknown id, succeeds without an effect.',
    {
      needs,
      check: async ({ open }) => {
        const [store, other] = [(await open()).checkpoints, (await open()).checkpoints];
        await store.releaseLease('nobody', 'worker-a');
        await store.acquireLease(ID, 'worker-a', TTL);
        await other.releaseLease(ID, 'worker-b');
        promiseSame('a rival is granted it', await other.acquireLease(ID, 'worker-b', TTL), false);
        promiseSame('the holder renews', await store.renewLease(ID, 'worker-a', TTL), true);
      },
    },
    {
      name: 'late',
      needs: { ...needs, seams: ['clock'] },
      under: 'fault',
      check: async ({ open, advance, claims }) => {
        const [store, other] = [(await open()).checkpoints, (await open()).checkpoints];
        await store.acquireLease(ID, 'worker-a', TTL);
        await advance(TTL + claims.graceMs);
        await other.acquireLease(ID, 'worker-b', TTL);
        await store.releaseLease(ID, 'worker-a');
        promiseSame(
          'after the late release a third is granted it',
          await store.acquireLease(ID, 'worker-c', TTL),
          false,
        );
      },
    },
  ),
  ...sentence('LEASE-12', "`delete` ends the id's lease, with or without `keepHistory`.", {
    needs: { methods: FENCED },
    check: async ({ open }) => {
      const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
      for (const keepHistory of [false, true]) {
        await a.acquireLease(ID, 'worker-a', TTL);
        await a.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
        await b.delete(ID, { keepHistory });
        promiseSame('the holder renews', await a.renewLease(ID, 'worker-a', TTL), false);
        promiseGranted('another owner is granted it', await b.acquireLease(ID, 'worker-b', TTL));
        await b.releaseLease(ID, 'worker-b');
      }
      await a.acquireLease('never-saved', 'worker-a', TTL);
      await b.delete('never-saved');
      promiseGranted(
        'an id without a checkpoint is free too',
        await b.acquireLease('never-saved', 'worker-b', TTL),
      );
    },
  }),
  ...sentence(
    'LEASE-15',
    '`renewLeases` answers each lease, in order, as `renewLease` would; no leases, no answers.',
    {
      needs: {
        methods: [...LEASES, 'checkpoints.renewLeases'],
        clock: ['store', 'host', 'caller', 'observed'],
        seams: ['clock'],
      },
      check: async ({ open, advance, claims }) => {
        const { checkpoints } = await open();
        for (const id of ['a', 'b', 'c']) await checkpoints.acquireLease(id, `worker-${id}`, TTL);
        await checkpoints.releaseLease('b', 'worker-b');
        await advance(TTL - 1);
        const leases = ['c', 'b', 'nobody', 'a'].map((sessionId) => ({
          sessionId,
          owner: `worker-${sessionId}`,
        }));
        const answers = await checkpoints.renewLeases(
          [...leases, { sessionId: 'a', owner: 'worker-b' }],
          TTL,
        );
        promiseSame('the answers are', answers, [true, false, false, true, false]);
        promiseSame('the answers to no leases are', await checkpoints.renewLeases([], TTL), []);
        await advance(TTL + claims.graceMs - 1);
        for (const id of ['a', 'c']) {
          promiseSame(
            `within its renewed lease, \`${id}\` is granted to another`,
            await checkpoints.acquireLease(id, 'worker-x', TTL),
            false,
          );
        }
      },
    },
  ),
  ...sentence(
    'LEASE-18',
    '`readLease` names the live holder, and gives `null` for an id that was never leased, was released or was deleted.',
    {
      needs: { methods: [...BASIC, ...LEASES, 'checkpoints.readLease'] },
      check: async ({ open }) => {
        const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
        promiseSame('the holder of an id that was never leased', await a.readLease(ID), null);
        await a.acquireLease(ID, 'worker-a', TTL);
        promiseSame('the holder', (await b.readLease(ID))?.owner, 'worker-a');
        await a.releaseLease(ID, 'worker-a');
        promiseSame('the holder of a released id', await b.readLease(ID), null);
        await b.acquireLease(ID, 'worker-b', TTL);
        await b.delete(ID);
        promiseSame('the holder of a deleted id', await a.readLease(ID), null);
      },
    },
  ),
  ...sentence(
    'LEASE-19',
    '`readLease().takeableAt`, where given, is the instant from which LEASE-06 grants the id to another owner.',
    {
      needs: {
        methods: [...LEASES, 'checkpoints.readLease'],
        clock: ['store', 'host', 'caller', 'observed'],
        seams: ['clock'],
      },
      check: async ({ open, advance, claims, clock }) => {
        const { checkpoints } = await open();
        await checkpoints.acquireLease(ID, 'worker-a', TTL);
        await advance(7_000);
        await checkpoints.renewLease(ID, 'worker-a', TTL);
        const { takeableAt } = (await checkpoints.readLease(ID)) ?? {};
        if (takeableAt === undefined) return;
        promiseSame('takeableAt is', takeableAt, new Date(clock.now() + TTL + claims.graceMs).toISOString());
      },
    },
  ),
  ...sentence(
    'LEASE-20',
    'Unless `deathProof` is `none`, the lease of an owner that was marked as ended in this process is granted to another at once; with `none` it is not.',
    {
      needs: { ...needs, deathProof: ['instance', 'process'] },
      under: 'fault',
      check: async ({ open }) => {
        const { checkpoints } = await open();
        const owner = `worker-${crypto.randomUUID()}`;
        await checkpoints.acquireLease(ID, owner, TTL);
        markOwnerEnded(owner);
        promiseGranted(
          'the ended owner’s lease is granted to another',
          await checkpoints.acquireLease(ID, 'worker-b', TTL),
        );
      },
    },
    {
      name: 'no-proof',
      needs: { ...needs, deathProof: ['none'] },
      under: 'fault',
      check: async ({ open }) => {
        const { checkpoints } = await open();
        const owner = `worker-${crypto.randomUUID()}`;
        await checkpoints.acquireLease(ID, owner, TTL);
        markOwnerEnded(owner);
        promiseSame(
          'the ended owner’s lease is granted to another',
          await checkpoints.acquireLease(ID, 'worker-b', TTL),
          false,
        );
      },
    },
  ),
  ...sentence('LEASE-21', "A live owner's lease is never granted early, whatever else ended.", {
    needs,
    under: 'fault',
    check: async ({ open }) => {
      const { checkpoints } = await open();
      const owner = `worker-${crypto.randomUUID()}`;
      await checkpoints.acquireLease(ID, owner, TTL);
      markOwnerEnded(`${owner}2`);
      promise(
        'another owner is refused',
        (await checkpoints.acquireLease(ID, 'worker-b', TTL)) === false,
        'it was granted',
      );
    },
  }),
];
