import { hasOwnerEnded } from '@lousho/core/contract';
import type { FullStore } from './store-kind.js';
import type { TestClock } from './test-clock.js';

/**
 * A client whose process comes to the lease of one that died when that lease is over, and its grace too: a server has no other proof
 * of an end than the time. To the lease of a process that lives it comes at once.
 */
export function afterDeaths(store: FullStore, clock: TestClock): FullStore {
  const { checkpoints } = store;
  const { graceMs = 0 } = checkpoints.capabilities ?? {};
  const acquireLease: FullStore['checkpoints']['acquireLease'] = async (sessionId, owner, ttlMs) => {
    const answer = await checkpoints.acquireLease(sessionId, owner, ttlMs);
    if (answer !== false) return answer;
    const lease = await checkpoints.readLease(sessionId);
    if (!lease || !hasOwnerEnded(lease.owner)) return false;
    clock.advance(ttlMs + graceMs);
    return checkpoints.acquireLease(sessionId, owner, ttlMs);
  };
  const patient = new Proxy(checkpoints, {
    get: (target, key) => {
      if (key === 'acquireLease') return acquireLease;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {
    checkpoints: patient,
    approvals: store.approvals,
    sessions: store.sessions,
    prune: (options) => store.prune(options),
    close: () => store.close(),
  };
}
