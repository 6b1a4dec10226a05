import type { StoreCapabilities } from '@lousho/core/contract';

/** What a store must claim, and a harness must offer, for a rule to bind. Nothing named, nothing needed. */
export interface Needs extends ClaimNeeds {
  /** Every one of them. */
  readonly methods?: readonly Method[];
  readonly seams?: readonly Seam[];
  /** Whether a lease is safe for a while past its expiry. */
  readonly grace?: 'some' | 'none';
  /** Limits that are declared. */
  readonly limits?: readonly Limit[];
  /** Limits that are not declared. */
  readonly noLimits?: readonly Limit[];
}

/** Every method of a store by its part. `checkpoints.save`, `load` and `delete` are all that a store must have. */
export const METHODS = [
  'checkpoints.save',
  'checkpoints.load',
  'checkpoints.delete',
  'checkpoints.ids',
  'checkpoints.list',
  'checkpoints.listPending',
  'checkpoints.history',
  'checkpoints.acquireLease',
  'checkpoints.renewLease',
  'checkpoints.renewLeases',
  'checkpoints.releaseLease',
  'checkpoints.readLease',
  'checkpoints.saveIfLeased',
  'approvals.save',
  'approvals.load',
  'approvals.ids',
  'approvals.list',
  'approvals.decide',
  'approvals.delete',
  'sessions.load',
  'sessions.ids',
  'sessions.saveIf',
  'sessions.delete',
  'prune',
  'close',
] as const;

export type Method = (typeof METHODS)[number];

/** The capabilities whose values are names, strongest first, as docs/contract.md lists them. */
export const CLAIMS = {
  fencing: ['atomic', 'best-effort', 'none'],
  reads: ['latest', 'eventual'],
  reach: ['network', 'host', 'process'],
  survives: ['power-loss', 'process-crash', 'nothing'],
  clock: ['store', 'observed', 'host', 'caller'],
  deathProof: ['process', 'instance', 'none'],
} as const satisfies { [K in keyof StoreCapabilities]: readonly StoreCapabilities[K][] };

export type ClaimName = keyof typeof CLAIMS;

/** One of the named values, each. */
export type ClaimNeeds = { readonly [K in ClaimName]?: readonly (typeof CLAIMS)[K][number][] };

export const LIMITS = ['maxCheckpointBytes', 'maxWritesPerKeyPerSecond'] as const;

export type Limit = (typeof LIMITS)[number];

/** What a harness lets a rule do to the world around the store, and what is said where it does not. */
export const SEAMS = {
  clock: 'the harness does not let time be moved',
  clientClock: 'the harness gives no clock to a single client',
  historyLimit: 'the harness passes no historyLimit on',
  graceMs: 'the harness passes no graceMs on',
  processes: 'the harness names no module and config by which another process reaches the storage',
  damage: 'the harness cannot damage a record',
} as const;

export type Seam = keyof typeof SEAMS;
