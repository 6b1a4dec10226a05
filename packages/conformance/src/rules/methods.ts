import type { Method } from '../model/needs.js';

/** The three methods that every store has. */
export const BASIC = [
  'checkpoints.save',
  'checkpoints.load',
  'checkpoints.delete',
] as const satisfies Method[];

/** What an owner of a lease calls. */
export const LEASES = [
  'checkpoints.acquireLease',
  'checkpoints.renewLease',
  'checkpoints.releaseLease',
] as const satisfies Method[];

export const FENCED = [...BASIC, ...LEASES, 'checkpoints.saveIfLeased'] as const satisfies Method[];

export const APPROVALS = [
  'approvals.save',
  'approvals.load',
  'approvals.list',
  'approvals.decide',
  'approvals.delete',
] as const satisfies Method[];

export const SESSIONS = ['sessions.load', 'sessions.saveIf', 'sessions.delete'] as const satisfies Method[];

export const ALL_CHECKPOINTS = [
  ...FENCED,
  'checkpoints.list',
  'checkpoints.listPending',
  'checkpoints.history',
  'checkpoints.renewLeases',
  'checkpoints.readLease',
] as const satisfies Method[];
