import type { AgentStore, BundledStore } from '../../contract/index.js';
import { EncryptedApprovals } from './encrypted-approvals.js';
import { encryptedCheckpoints } from './encrypted-checkpoints.js';
import { EncryptedSessions } from './encrypted-sessions.js';
import { type EncryptionKeys, KeyRing } from './key-ring.js';
import { Sealer } from './sealer.js';

/**
 * A store whose records are sealed with AES-256-GCM before they reach `store`, each under a fresh nonce and bound to its id and kind.
 * Ids, statuses, revisions, instants, leases and whether an approval was granted stay readable; nothing that carries content does.
 *
 * A record that is not encrypted is refused with `LOUSHO_RECORD_NOT_ENCRYPTED`, a changed one with `LOUSHO_RECORD_TAMPERED`, one that
 * lost its end with `LOUSHO_RECORD_TRUNCATED`, one whose key is not among `keys` with `LOUSHO_RECORD_KEY_UNKNOWN`, before anything
 * is written. Throws `LOUSHO_CONFIG_INVALID` for what are not keys.
 */
export function encrypted(store: BundledStore, keys: EncryptionKeys): BundledStore;
export function encrypted(store: AgentStore, keys: EncryptionKeys): AgentStore;
export function encrypted(store: AgentStore & Partial<BundledStore>, keys: EncryptionKeys): AgentStore {
  const sealer = new Sealer(new KeyRing(keys));
  const { checkpoints, approvals, sessions } = store;
  return {
    ...(checkpoints && { checkpoints: encryptedCheckpoints(checkpoints, sealer) }),
    ...(approvals && { approvals: new EncryptedApprovals(approvals, sealer) }),
    ...(sessions && { sessions: new EncryptedSessions(sessions, sealer) }),
    ...(store.prune && { prune: store.prune.bind(store) }),
    ...(store.close && { close: store.close.bind(store) }),
  };
}
