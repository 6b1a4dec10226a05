import { SessionBusyError } from '../contract/index.js';
import type { Occurrence } from '../ports/index.js';
import type { RunLease } from './held-lease.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { RunPlan } from './run-plan.js';

type RefusedCall = Extract<Occurrence, { kind: 'lease-refused' }>['call'];

/** The lease of a plan's run. Rejects with `LOUSHO_SESSION_BUSY` when another owner holds the id. */
export async function takeLease(plan: RunPlan, durable: NonNullable<RunPlan['durable']>): Promise<RunLease> {
  const { store, sessionId } = durable;
  return LeaseKeeper.of(store, plan.lease, plan.ports).acquire(
    sessionId,
    plan.watch && (() => plan.watch?.note({ kind: 'lease-lost', sessionId })),
  );
}

/** Tells the observer of a caller that is turned away. Other errors are none of its business. */
export function noteRefusal({ watch, durable }: RunPlan, error: unknown, call: RefusedCall): void {
  if (!watch || !durable || !(error instanceof SessionBusyError)) return;
  watch.note({ kind: 'lease-refused', sessionId: durable.sessionId, call });
}
