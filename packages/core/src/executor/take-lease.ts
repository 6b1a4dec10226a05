import { SessionBusyError } from '../contract/index.js';
import type { Occurrence } from '../ports/index.js';
import type { RunLease } from './held-lease.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { RunPlan } from './run-plan.js';

type Durable = NonNullable<RunPlan['durable']>;
type RefusedCall = Extract<Occurrence, { kind: 'lease-refused' }>['call'];

/** The lease of a plan's run. Rejects with `LOUSHO_SESSION_BUSY` when another owner holds the id. */
export async function takeLease(plan: RunPlan, { store, sessionId }: Durable): Promise<RunLease> {
  return keeperOf(plan, store).acquire(sessionId, onLost(plan, sessionId));
}

/** The same; `null` when another owner holds the id. */
export async function tryLease(plan: RunPlan, { store, sessionId }: Durable): Promise<RunLease | null> {
  return keeperOf(plan, store).tryAcquire(sessionId, onLost(plan, sessionId));
}

function keeperOf({ lease, ports }: RunPlan, store: Durable['store']): LeaseKeeper {
  return LeaseKeeper.of(store, lease, ports);
}

function onLost({ watch }: RunPlan, sessionId: string): (() => void) | undefined {
  return watch && (() => watch.note({ kind: 'lease-lost', sessionId }));
}

/** Tells the observer of a caller that is turned away. Other errors are none of its business. */
export function noteRefusal(plan: RunPlan, error: unknown, call: RefusedCall): void {
  if (error instanceof SessionBusyError) noteTurnedAway(plan, call);
}

export function noteTurnedAway({ watch, durable }: RunPlan, call: RefusedCall): void {
  if (watch && durable) watch.note({ kind: 'lease-refused', sessionId: durable.sessionId, call });
}
