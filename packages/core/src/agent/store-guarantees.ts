import { type CheckpointStore, ConfigurationError, expected } from '../contract/index.js';
import type { Logger } from '../ports/index.js';

export interface GuaranteeOptions {
  readonly requireFencing: 'atomic' | undefined;
  readonly logger: Logger;
}

/**
 * Says, once per store, what it does not guarantee. Throws `LOUSHO_CONFIG_INVALID` where fencing is required that it does not declare,
 * or for another requirement than `'atomic'`.
 */
export function checkGuarantees(
  store: CheckpointStore | undefined,
  { requireFencing, logger }: GuaranteeOptions,
): void {
  if (requireFencing !== undefined && requireFencing !== 'atomic') {
    throw expected('requireFencing', '`atomic`, or left out', requireFencing);
  }
  const fencing = store ? fencingOf(store) : 'none';
  if (requireFencing === 'atomic' && fencing !== 'atomic') {
    const got = store ? `a store whose fencing is \`${fencing}\`` : 'no store with checkpoints';
    throw new ConfigurationError(`Expected \`store.checkpoints\` to fence atomically, got ${got}`, {
      field: 'store',
      hint: 'Use a store that declares `fencing: "atomic"`, or leave `requireFencing` out and accept what the store does not guarantee.',
    });
  }
  if (!store || warned.has(store)) return;
  const missing = [FENCING[fencing], READS[store.capabilities?.reads ?? 'eventual']].filter(Boolean);
  if (missing.length === 0) return;
  warned.add(store);
  logger.warn(
    `lousho: this store does not guarantee everything: ${missing.join('; ')}. Pass \`requireFencing: 'atomic'\` to refuse such a store.`,
  );
}

const warned = new WeakSet<CheckpointStore>();

type Fencing = 'atomic' | 'best-effort' | 'none';

const FENCING: Readonly<Record<Fencing, string | undefined>> = {
  atomic: undefined,
  'best-effort':
    'two processes that act on one session at the same moment may both go on (fencing: best-effort)',
  none: 'nothing keeps two processes from advancing one session at once (fencing: none)',
};

const READS: Readonly<Record<'latest' | 'eventual', string | undefined>> = {
  latest: undefined,
  eventual: 'a load may miss what another process has just saved (reads: eventual)',
};

/** What cannot be fenced is not, whatever is declared. */
function fencingOf(store: CheckpointStore): Fencing {
  return store.saveIfLeased ? (store.capabilities?.fencing ?? 'none') : 'none';
}
