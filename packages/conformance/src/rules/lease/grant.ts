import { promise, promiseGranted, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { ID, TTL } from '../../world/builders.js';
import { ALL_CHECKPOINTS, BASIC, LEASES } from '../methods.js';
import { epochOf } from './epoch-of.js';

const needs = { methods: LEASES };

export const leaseGrant = [
  ...sentence('LEASE-01', 'A free id is granted, with an epoch where the store answers with a lease.', {
    needs,
    check: async ({ open }) => {
      const answer = await (await open()).checkpoints.acquireLease(ID, 'worker-a', TTL);
      const epoch = epochOf(answer);
      promise('the answer is `true` or has an epoch above 0', epoch === null || epoch > 0, answer);
    },
  }),
  ...sentence(
    'LEASE-02',
    "Another owner's live lease is not granted: the answer is `false`, and the holder notices nothing.",
    {
      needs,
      check: async ({ open }) => {
        const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
        const lease = await a.acquireLease(ID, 'worker-a', TTL);
        promiseSame('another owner is granted the id', await a.acquireLease(ID, 'worker-b', TTL), false);
        promiseSame(
          'another owner is granted the id by another client',
          await b.acquireLease(ID, 'worker-b', TTL),
          false,
        );
        promiseSame('the holder keeps its lease', await a.acquireLease(ID, 'worker-a', TTL), lease);
      },
    },
  ),
  ...sentence('LEASE-04', 'A renewed lease keeps its epoch, whether by `renewLease` or by `acquireLease`.', {
    needs: { ...needs, seams: ['clock'] },
    check: async ({ open, advance, claims }) => {
      const { checkpoints } = await open();
      const lease = await checkpoints.acquireLease(ID, 'worker-a', TTL);
      for (let beat = 0; beat < 5; beat++) {
        await advance(10_000);
        promiseSame('the holder renews', await checkpoints.renewLease(ID, 'worker-a', TTL), true);
      }
      promiseSame(
        'renewed by acquireLease it is',
        await checkpoints.acquireLease(ID, 'worker-a', TTL),
        lease,
      );
      await advance(TTL + claims.graceMs + 1);
      promiseSame(
        'renewed after its expiry it is',
        await checkpoints.acquireLease(ID, 'worker-a', TTL),
        lease,
      );
    },
  }),
  ...sentence(
    'LEASE-05',
    'The epoch of an id grows each time its lease changes hands, also after a release, an expiry or a delete.',
    {
      needs: { methods: [...BASIC, ...LEASES], seams: ['clock'] },
      check: async ({ open, advance, claims }) => {
        const [store, other] = [(await open()).checkpoints, (await open()).checkpoints];
        const epochs = [await take('worker-a')];
        await store.releaseLease(ID, 'worker-a');
        epochs.push(await take('worker-b', other));
        await advance(TTL + claims.graceMs);
        epochs.push(await take('worker-c'));
        await store.delete(ID);
        epochs.push(await take('worker-d', other));
        await store.delete(ID, { keepHistory: true });
        epochs.push(await take('worker-e'));
        await store.releaseLease(ID, 'worker-e');
        epochs.push(await take('worker-e'));
        if (epochs.includes(null)) return;
        const grows = epochs.every(
          (epoch, index) => index === 0 || Number(epoch) > Number(epochs[index - 1]),
        );
        promise('the epochs of six holders in turn grow', grows, epochs);

        async function take(owner: string, client = store): Promise<number | null> {
          return epochOf(await client.acquireLease(ID, owner, TTL));
        }
      },
    },
  ),
  ...sentence('LEASE-14', 'Leases of different ids are independent of each other.', {
    needs,
    check: async ({ open }) => {
      const { checkpoints } = await open();
      await checkpoints.acquireLease('a', 'worker-a', TTL);
      promiseGranted(
        'another id is granted to another owner',
        await checkpoints.acquireLease('b', 'worker-b', TTL),
      );
      await checkpoints.releaseLease('a', 'worker-a');
      promiseSame(
        'after a release of `a`, `b` is renewed',
        await checkpoints.renewLease('b', 'worker-b', TTL),
        true,
      );
      promiseSame('the owner of `a` renews `b`', await checkpoints.renewLease('b', 'worker-a', TTL), false);
    },
  }),
  ...sentence(
    'LEASE-16',
    'A lease is no checkpoint: an id that is only leased loads as `null`, is not listed and has no history.',
    {
      needs: { methods: ALL_CHECKPOINTS },
      check: async ({ open }) => {
        const { checkpoints } = await open();
        await checkpoints.acquireLease(ID, 'worker-a', TTL);
        promiseSame('the leased id loads as', await checkpoints.load(ID), null);
        promiseSame('the list is', await checkpoints.list(), []);
        promiseSame('the pending ones are', await checkpoints.listPending(), []);
        promiseSame('its history is', await checkpoints.history(ID), []);
      },
    },
  ),
];
