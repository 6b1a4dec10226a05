import { promise, promiseGranted, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { checkpoint, ID, TTL } from '../../world/builders.js';
import type { World } from '../../world/world.js';
import { FENCED, LEASES } from '../methods.js';

/** Whose expiry is an instant that a test can compute. */
const JUDGED = ['store', 'host', 'caller', 'observed'] as const;
const needs = { methods: LEASES, clock: JUDGED, seams: ['clock'] } as const;

export const leaseExpiry = [
  ...sentence('LEASE-03', '`acquireLease` by the holder renews.', {
    needs,
    check: async ({ open, advance, claims }) => {
      const { checkpoints } = await open();
      await checkpoints.acquireLease(ID, 'worker-a', TTL);
      await advance(TTL - 1);
      promiseGranted('the holder acquires again', await checkpoints.acquireLease(ID, 'worker-a', TTL));
      await advance(TTL + claims.graceMs - 1);
      promiseSame(
        'another owner is granted it within the renewed lease',
        await checkpoints.acquireLease(ID, 'worker-b', TTL),
        false,
      );
    },
  }),
  ...sentence(
    'LEASE-06',
    'One millisecond before expiry + `graceMs` another owner is refused; at that instant it is granted.',
    {
      needs,
      check: async (world) => {
        for (const offset of [-1, 0, 1]) {
          const { store, other } = await leased(world);
          await world.advance(TTL + world.claims.graceMs + offset);
          const isGranted = (await other.acquireLease(ID, 'worker-b', TTL)) !== false;
          promise(
            `${offset} ms from expiry plus grace another owner is granted it: ${offset >= 0}`,
            isGranted === offset >= 0,
            `${isGranted}`,
          );
          promiseSame('the first holder renews', await store.renewLease(ID, 'worker-a', TTL), offset < 0);
        }
      },
    },
    {
      name: 'within-grace',
      needs: { ...needs, grace: 'some' },
      check: async (world) => {
        const { other } = await leased(world);
        await world.advance(TTL);
        promiseSame(
          'at the expiry another owner is granted it',
          await other.acquireLease(ID, 'worker-b', TTL),
          false,
        );
      },
    },
    {
      name: 'without-grace',
      needs: { ...needs, grace: 'none' },
      check: async (world) => {
        const { other } = await leased(world);
        await world.advance(TTL);
        promiseGranted(
          'at the expiry another owner is granted it',
          await other.acquireLease(ID, 'worker-b', TTL),
        );
      },
    },
  ),
  ...sentence('LEASE-07', 'A renewal counts its `ttlMs` from the instant of the renewal.', {
    needs,
    check: async (world) => {
      for (const offset of [-1, 0]) {
        const { store, other } = await leased(world);
        await world.advance(10_000);
        promiseSame('the holder renews for 20 s', await store.renewLease(ID, 'worker-a', 20_000), true);
        await world.advance(20_000 + world.claims.graceMs + offset);
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
    'LEASE-09',
    'A holder past its expiry that nobody has replaced can renew, and its lease is live again.',
    {
      needs,
      check: async (world) => {
        const { store, other } = await leased(world);
        await world.advance(TTL + world.claims.graceMs + 60_000);
        promiseSame('the late holder renews', await store.renewLease(ID, 'worker-a', TTL), true);
        await world.advance(TTL - 1);
        promiseSame(
          'another owner is granted the renewed lease',
          await other.acquireLease(ID, 'worker-b', TTL),
          false,
        );
      },
    },
  ),
  ...sentence('LEASE-17', 'A fraction of a millisecond in `ttlMs` is rounded up.', {
    needs,
    check: async (world) => {
      for (const [ttlMs, afterMs, isFree] of FRACTIONS) {
        const { checkpoints } = await (await world.storage()).open();
        await checkpoints.acquireLease(ID, 'worker-a', ttlMs);
        await world.advance(afterMs + world.claims.graceMs);
        const isGranted = (await checkpoints.acquireLease(ID, 'worker-b', TTL)) !== false;
        promise(
          `a lease of ${ttlMs} ms is free after ${afterMs} ms: ${isFree}`,
          isGranted === isFree,
          `${isGranted}`,
        );
      }
    },
  }),
  ...sentence('LEASE-23', 'Saves neither shorten nor end a lease.', {
    needs: { ...needs, methods: FENCED },
    check: async (world) => {
      const { store, other } = await leased(world);
      await world.advance(1_000);
      await store.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
      await store.saveIfLeased(ID, checkpoint({ revision: 2, status: 'finished' }), 'worker-a');
      await store.save(ID, checkpoint({ revision: 3 }));
      await world.advance(TTL + world.claims.graceMs - 1_001);
      promiseSame(
        '1 ms before the end another owner is granted it',
        await other.acquireLease(ID, 'worker-b', TTL),
        false,
      );
    },
  }),
  ...sentence('LEASE-22', 'Every client of one storage judges a lease alike, within the declared `reach`.', {
    needs,
    check: async (world) => {
      const { open, advance, claims } = world;
      const clients = [(await open()).checkpoints, (await open()).checkpoints, (await open()).checkpoints];
      await clients[0]?.acquireLease(ID, 'worker-a', TTL);
      for (const renewer of [clients[2], clients[1]]) {
        await advance(TTL + claims.graceMs - 1);
        for (const client of clients) {
          promiseSame(
            'another owner is granted it by a client',
            await client.acquireLease(ID, 'worker-b', TTL),
            false,
          );
        }
        promiseSame('another client renews it', await renewer?.renewLease(ID, 'worker-a', TTL), true);
      }
    },
  }),
];

const FRACTIONS = [
  [333.3, 333, false],
  [333.3, 334, true],
  [0.4, 0, false],
  [0.4, 1, true],
] as const;

/** A storage of its own, two clients, and a lease of worker-a's. */
async function leased(world: World) {
  const storage = await world.storage();
  const [store, other] = [(await storage.open()).checkpoints, (await storage.open()).checkpoints];
  await store.acquireLease(ID, 'worker-a', TTL);
  return { store, other };
}
