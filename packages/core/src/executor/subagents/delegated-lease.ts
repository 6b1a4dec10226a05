import type { RunLease } from '../held-lease.js';

/** The lease of a run that works for another one: it starts nothing unless both are held. Without a record of its own, the lead's. */
export function delegatedLease(own: RunLease | undefined, lead: RunLease | undefined): RunLease | undefined {
  if (!own || !lead) return own ?? lead;
  return {
    epoch: own.epoch,
    lost: own.lost,
    assertHeld: async () => {
      await lead.assertHeld();
      await own.assertHeld();
    },
    confirmHeld: async () => {
      await lead.confirmHeld();
      await own.confirmHeld();
    },
    save: (checkpoint, options) => own.save(checkpoint, options),
    release: () => own.release(),
  };
}
