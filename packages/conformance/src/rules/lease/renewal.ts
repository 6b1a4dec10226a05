import { promise, promiseGranted, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { ID, TTL } from '../../world/builders.js';
import { LEASES } from '../methods.js';

const needs = { methods: LEASES, clock: ['store', 'host', 'caller', 'observed'], seams: ['clock'] } as const;

/** Further checks of what a renewal gives, and to whom. */
export const leaseRenewal = [
  ...sentence('LEASE-07', 'A renewal counts its `ttlMs` from the instant of the renewal.', {
    name: 'lengthened',
    needs,
    check: async ({ storage, advance, claims }) => {
      for (const offset of [-1, 0]) {
        const own = await storage();
        const [store, other] = [(await own.open()).checkpoints, (await own.open()).checkpoints];
        await store.acquireLease(ID, 'worker-a', TTL);
        await advance(10_000);
        promiseSame('the holder renews', await store.renewLease(ID, 'worker-a', TTL), true);
        await advance(TTL + claims.graceMs + offset);
        const isGranted = (await other.acquireLease(ID, 'worker-b', TTL)) !== false;
        promise(
          `${offset} ms from the renewed expiry plus grace another owner is granted it: ${offset >= 0}`,
          isGranted === offset >= 0,
          `${isGranted}`,
        );
      }
    },
  }),
  ...sentence(
    'LEASE-08',
    "`renewLease` answers `false`, and takes nothing, for an id that is free, another's, released, deleted or taken over.",
    {
      name: 'expired',
      needs,
      under: 'fault',
      check: async ({ open, advance, claims }) => {
        const [a, b] = [(await open()).checkpoints, (await open()).checkpoints];
        await a.acquireLease(ID, 'worker-a', TTL);
        await advance(TTL + claims.graceMs + 1);
        promiseSame(
          "another owner renews the expired lease of the holder's",
          await b.renewLease(ID, 'worker-b', TTL),
          false,
        );
        promiseSame('the late holder renews', await a.renewLease(ID, 'worker-a', TTL), true);
        await advance(TTL + claims.graceMs + 1);
        promiseGranted('another owner acquires it', await b.acquireLease(ID, 'worker-b', TTL));
        await advance(TTL + claims.graceMs + 1);
        promiseSame(
          'the replaced holder renews when its successor has expired too',
          await a.renewLease(ID, 'worker-a', TTL),
          false,
        );
      },
    },
  ),
];
