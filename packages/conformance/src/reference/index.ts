export { ReferenceApprovals } from './reference-approvals.js';
export { ReferenceCheckpoints } from './reference-checkpoints.js';
export { referenceHarness } from './reference-harness.js';
export { ReferenceLeases } from './reference-leases.js';
export { type ReferenceParts, type SchedulingPoint, step } from './reference-parts.js';
export { ReferenceSessions } from './reference-sessions.js';
export {
  ReferenceStorage,
  type StoredApproval,
  type StoredLease,
  type StoredRun,
  type StoredSave,
  type StoredTranscript,
} from './reference-storage.js';
export { type ReferenceClasses, type ReferenceStoreOptions, referenceStore } from './reference-store.js';
