import type { Lease } from '@lousho/core/contract';
import { Violation } from '../../model/violation.js';

/** The epoch of a granted lease; `null` from a store that answers without one. */
export function epochOf(answer: boolean | Lease): number | null {
  if (answer === false) throw new Violation('the lease is granted', 'false');
  return answer === true ? null : answer.epoch;
}
