import {
  assertRunId,
  assertStoreKey,
  type Checkpoint,
  type CheckpointStore,
  ConfigurationError,
  guardCheckpointStore,
  SDKError,
  SessionBusyError,
  wholeNumber,
} from '../contract/index.js';
import { consoleLogger, randomIds, systemTimers } from '../ports/index.js';
import { type ForkPatch, forkedCheckpoint } from '../run/fork.js';
import type { RunPorts } from './execute-options.js';
import { LeaseKeeper, leaseTiming } from './lease-keeper.js';
import { assertKnownOptions } from './option-checks.js';

export interface ForkOptions {
  readonly sessionId: string;
  /** The newest kept save of this step is forked. */
  readonly fromStep: number;
  /** Default: the first free `<sessionId>.fork-<n>`. */
  readonly newSessionId?: string;
  readonly checkpointStore: CheckpointStore;
  readonly patch?: ForkPatch;
  readonly ports?: Partial<RunPorts>;
}

export interface ForkResult {
  readonly sessionId: string;
  readonly step: number;
  readonly checkpoint: Checkpoint;
}

const OPTIONS = [
  'sessionId',
  'fromStep',
  'newSessionId',
  'checkpointStore',
  'patch',
  'ports',
] as const satisfies readonly (keyof ForkOptions)[];
const PATCH = [
  'messages',
  'businessState',
  'toolResult',
  'appendInput',
] as const satisfies readonly (keyof ForkPatch)[];

/** Starts a new session from a step of another one's history. The source is only read. */
export async function forkRun(options: ForkOptions): Promise<ForkResult> {
  assertKnownOptions('fork()', options, OPTIONS);
  assertKnownOptions('patch', options.patch ?? {}, PATCH);
  assertStoreKey(options.sessionId);
  if (options.newSessionId !== undefined) assertRunId(options.newSessionId);
  wholeNumber('fromStep', options.fromStep);
  const store = guardCheckpointStore(options.checkpointStore);
  const ports = { timers: systemTimers, ids: randomIds, logger: consoleLogger, ...options.ports };
  const source = await keptStep(store, options.sessionId, options.fromStep);
  const keeper = LeaseKeeper.of(store, leaseTiming(undefined), ports);
  const patch = options.patch ?? {};

  if (options.newSessionId !== undefined) {
    const created = await createFork(
      keeper,
      source,
      { sessionId: options.newSessionId, runId: ports.ids.next() },
      patch,
    );
    if (created) return { sessionId: options.newSessionId, step: options.fromStep, checkpoint: created };
    throw new ConfigurationError(`session ${options.newSessionId} already has a checkpoint`, {
      field: 'newSessionId',
    });
  }
  for (let n = 1; ; n++) {
    const sessionId = `${options.sessionId}.fork-${n}`;
    assertRunId(sessionId);
    const created = await createFork(keeper, source, { sessionId, runId: ports.ids.next() }, patch);
    if (created) return { sessionId, step: options.fromStep, checkpoint: created };
  }
}

async function keptStep(store: CheckpointStore, sessionId: string, fromStep: number): Promise<Checkpoint> {
  if (!store.history) {
    throw new ConfigurationError('Expected a checkpoint store with history() to fork, got one without', {
      field: 'checkpointStore',
    });
  }
  const entries = await store.history(sessionId);
  const entry = entries.find(({ step }) => step === fromStep);
  if (entry) return entry.checkpoint;
  const kept = [...new Set(entries.map(({ step }) => step))].toSorted((a, b) => a - b);
  throw new SDKError(
    'LOUSHO_CHECKPOINT_NOT_FOUND',
    `session ${sessionId} does not keep step ${fromStep}; the steps that it keeps are: ${kept.join(', ') || '(none)'}`,
  );
}

/** `undefined` when the id is taken. Under the id's lease, so that two forks at once get two ids. */
async function createFork(
  keeper: LeaseKeeper,
  source: Checkpoint,
  target: { readonly sessionId: string; readonly runId: string },
  patch: ForkPatch,
): Promise<Checkpoint | undefined> {
  const { store } = keeper;
  if ((await store.load(target.sessionId)) !== null) return undefined;
  const lease = await keeper.acquire(target.sessionId).catch((error: unknown) => {
    if (error instanceof SessionBusyError) return undefined;
    throw error;
  });
  if (!lease) return undefined;
  try {
    if ((await store.load(target.sessionId)) !== null) return undefined;
    const checkpoint = forkedCheckpoint(source, target, patch);
    await lease.save(checkpoint, {});
    return checkpoint;
  } finally {
    await lease.release();
  }
}
