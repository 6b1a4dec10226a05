import { type CheckpointStore, type LeaseHolder, SessionBusyError } from '../contract/index.js';

/** The error of a caller that does not get an id, naming the holder and the moment from which it can be taken. */
export async function heldElsewhere(store: CheckpointStore, sessionId: string): Promise<SessionBusyError> {
  const holder = await readHolder(store, sessionId);
  return new SessionBusyError(sessionId, `session ${sessionId} is being run ${describe(holder)}`, holder);
}

/** The error of a run whose lease has passed to somebody else: it stops and starts nothing more. */
export async function leaseLost(store: CheckpointStore, sessionId: string): Promise<SessionBusyError> {
  const holder = await readHolder(store, sessionId);
  return new SessionBusyError(
    sessionId,
    holder
      ? `this run of session ${sessionId} lost its lease: the session is now run ${describe(holder)}`
      : `this run of session ${sessionId} lost its lease: it was taken, finished or deleted meanwhile`,
    holder,
  );
}

/** Only for the text: a store that cannot tell must not hide the refusal. */
async function readHolder(store: CheckpointStore, sessionId: string): Promise<LeaseHolder | undefined> {
  try {
    return (await store.readLease?.(sessionId)) ?? undefined;
  } catch {
    return undefined;
  }
}

function describe(holder: LeaseHolder | undefined): string {
  if (!holder) return 'elsewhere';
  const { host, pid, since, takeableAt } = holder;
  return [
    host === undefined ? 'elsewhere' : `on ${host}`,
    ...(pid === undefined ? [] : [`by process ${pid}`]),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(takeableAt === undefined ? [] : [`; unless renewed, it can be taken from ${takeableAt}`]),
  ]
    .join(' ')
    .replace(' ;', ';');
}
