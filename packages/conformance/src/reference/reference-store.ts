import {
  type AgentStore,
  type BundledStore,
  type CheckpointStore,
  type Clock,
  Gate,
  guardCheckpointStore,
  historyLimit,
  markGuarded,
  pruneAge,
  type StoreCapabilities,
  systemClock,
  TableApprovalStore,
  TableSessionStore,
} from '@lousho/core/contract';
import { ReferenceApprovals } from './reference-approvals.js';
import { ReferenceCheckpoints } from './reference-checkpoints.js';
import { ReferenceLeases } from './reference-leases.js';
import { type ReferenceParts, type SchedulingPoint, step } from './reference-parts.js';
import { pruneNow } from './reference-prune.js';
import { ReferenceSessions } from './reference-sessions.js';
import { ReferenceStorage } from './reference-storage.js';

export interface ReferenceStoreOptions {
  /** Shared by the clients of one storage. Default: one of its own. */
  readonly storage?: ReferenceStorage;
  readonly clock?: Clock;
  readonly historyLimit?: number;
  readonly graceMs?: number;
  readonly point?: SchedulingPoint;
  /** Overrides what it declares, for a store that keeps less. */
  readonly capabilities?: StoreCapabilities;
  /** Other classes in place of its parts, for a store that is broken on purpose. */
  readonly classes?: Partial<ReferenceClasses>;
}

export interface ReferenceClasses {
  readonly leases: typeof ReferenceLeases;
  readonly checkpoints: typeof ReferenceCheckpoints;
  readonly approvals: typeof ReferenceApprovals;
  readonly sessions: typeof ReferenceSessions;
}

/**
 * A client of a store in memory that keeps every sentence in the plainest way: each operation is one synchronous step on whole records.
 * It is what the kit's rules are held to, and what its mutants break.
 */
export function referenceStore(options: ReferenceStoreOptions = {}): BundledStore {
  const { parts, classes, gate, leases, checkpoints, approvals } = clientOf(options);
  return {
    checkpoints: gated(checkpoints, gate),
    approvals,
    sessions: new TableSessionStore(new classes.sessions(parts), gate),
    prune: async (prune) => {
      const olderThanMs = pruneAge(prune);
      return gate.run('prune', () =>
        step(parts, 'prune', () => pruneNow(parts, leases, parts.clock.now() - olderThanMs)),
      );
    },
    close: async () => {
      gate.close();
    },
  };
}

/** The same without the checks of arguments, for a caller that is known to give right ones and asks very often. */
export function uncheckedReferenceStore(options: ReferenceStoreOptions = {}): AgentStore {
  const { checkpoints, approvals } = clientOf(options);
  return { checkpoints: markGuarded(checkpoints), approvals };
}

function clientOf(options: ReferenceStoreOptions) {
  const parts: ReferenceParts = {
    storage: options.storage ?? new ReferenceStorage(),
    clock: options.clock ?? systemClock,
    historyLimit: historyLimit(options.historyLimit),
    graceMs: options.graceMs ?? 0,
    point: options.point ?? (async () => {}),
  };
  const classes: ReferenceClasses = { ...CLASSES, ...options.classes };
  const gate = new Gate({ name: 'referenceStore()' });
  const leases = new classes.leases(parts);
  const capabilities = { ...CAPABILITIES, graceMs: parts.graceMs, ...options.capabilities };
  const checkpoints = new classes.checkpoints(parts, leases, capabilities);
  return {
    parts,
    classes,
    gate,
    leases,
    checkpoints,
    approvals: new TableApprovalStore(new classes.approvals(parts), gate),
  };
}

const CLASSES: ReferenceClasses = {
  leases: ReferenceLeases,
  checkpoints: ReferenceCheckpoints,
  approvals: ReferenceApprovals,
  sessions: ReferenceSessions,
};

const CAPABILITIES: StoreCapabilities = {
  fencing: 'atomic',
  reads: 'latest',
  reach: 'process',
  survives: 'nothing',
  clock: 'host',
  deathProof: 'instance',
};

/** Core's guard checks the arguments; the gate in front of it refuses calls after the close. */
function gated(store: ReferenceCheckpoints, gate: Gate): CheckpointStore {
  const guard = guardCheckpointStore(store);
  return markGuarded(
    new Proxy(guard, {
      get: (target, name) => {
        const found: unknown = Reflect.get(target, name);
        if (typeof found !== 'function') return found;
        return (...args: unknown[]) => gate.run(String(name), () => Reflect.apply(found, target, args));
      },
    }),
  );
}
