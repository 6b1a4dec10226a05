import { promiseGranted, promiseSame } from '../../check/promise.js';
import { sentence } from '../../model/rule.js';
import { ID, TTL } from '../../world/builders.js';
import { LEASES } from '../methods.js';

const needs = { methods: LEASES, seams: ['clock', 'clientClock'] } as const;

export const leaseClocks = [
  ...sentence(
    'LEASE-32',
    "With `clock: 'store'` or `'observed'` the clocks of clients may be wrong by any amount.",
    {
      needs: { ...needs, clock: ['store', 'observed'] },
      under: 'fault',
      check: async ({ open, clock }) => {
        const skewed = (ms: number) => ({ now: () => clock.now() + ms, monotonic: () => clock.monotonic() });
        const holder = (await open({ clock: skewed(-3_600_000) })).checkpoints;
        const rival = (await open({ clock: skewed(3_600_000) })).checkpoints;
        await holder.acquireLease(ID, 'worker-a', TTL);
        promiseSame(
          'a client an hour ahead is granted it',
          await rival.acquireLease(ID, 'worker-b', TTL),
          false,
        );
        promiseSame('the holder an hour behind renews', await holder.renewLease(ID, 'worker-a', TTL), true);
      },
    },
  ),
  ...sentence(
    'LEASE-33',
    "With `clock: 'caller'` a client whose clock is ahead by less than `graceMs` takes no live lease.",
    {
      needs: { ...needs, clock: ['caller'], grace: 'some' },
      under: 'fault',
      check: async ({ open, clock, claims }) => {
        const skew = claims.graceMs - 1;
        const ahead = {
          now: () => clock.now() + TTL + skew,
          monotonic: () => clock.monotonic() + TTL + skew,
        };
        const [holder, rival] = [(await open()).checkpoints, (await open({ clock: ahead })).checkpoints];
        await holder.acquireLease(ID, 'worker-a', TTL);
        promiseSame(
          'a client that is ahead by less than the grace is granted it',
          await rival.acquireLease(ID, 'worker-b', TTL),
          false,
        );
      },
    },
  ),
  ...sentence(
    'LEASE-34',
    "With `clock: 'observed'` an owner is granted another's lease once it has seen it unchanged for the whole `ttlMs`, and not before.",
    {
      needs: { ...needs, clock: ['observed'] },
      check: async ({ open, advance, clock }) => {
        await (await open()).checkpoints.acquireLease(ID, 'worker-a', TTL);
        await advance(10 * TTL);
        // With a clock of its own, so that it is a client that starts now and has watched nothing.
        const watcher = (await open({ clock })).checkpoints;
        promiseSame(
          'one that looks for the first time is granted it',
          await watcher.acquireLease(ID, 'worker-b', TTL),
          false,
        );
        await advance(TTL - 1);
        promiseSame(
          'one that watched it for less than its ttl is',
          await watcher.acquireLease(ID, 'worker-b', TTL),
          false,
        );
        await advance(1);
        promiseGranted('one that watched it for its ttl is', await watcher.acquireLease(ID, 'worker-b', TTL));
      },
    },
  ),
  ...sentence(
    'LEASE-35',
    "With `clock: 'host'` setting the wall clock neither ends a lease nor prolongs one.",
    {
      needs: { methods: LEASES, clock: ['host'], seams: ['clock'] },
      under: 'fault',
      check: async ({ storage, clock, advance, claims }) => {
        for (const hours of [-1, 1]) {
          const { checkpoints } = await (await storage()).open();
          await checkpoints.acquireLease(ID, 'worker-a', TTL);
          clock.setWall(hours * 3_600_000);
          await advance(TTL + claims.graceMs - 1);
          const early = await checkpoints.acquireLease(ID, 'worker-b', TTL);
          promiseSame(`the wall clock set by ${hours} h, the live lease is granted to another`, early, false);
          await advance(1);
          const due = await checkpoints.acquireLease(ID, 'worker-b', TTL);
          promiseGranted(`the wall clock set by ${hours} h, the expired lease is granted to another`, due);
        }
      },
    },
  ),
];
