import { SDKError } from '../../contract/index.js';

/**
 * Whether the failure of a sub-agent is its lead's to deal with, as the result of the call. What concerns the run as a whole rejects it: a
 * lost lease, a store, a hook, a `PropagatingToolError`. So does a failed model call that may succeed later, where the sub-agent is kept:
 * whoever resumes the lead goes on where it stood.
 */
export function isToldToModel(error: unknown, { isKept }: { readonly isKept: boolean }): boolean {
  if (!(error instanceof SDKError)) return false;
  switch (error.code) {
    case 'LOUSHO_SUBAGENT_TASK_NOT_FOUND':
    case 'LOUSHO_PROVIDER_RESPONSE_INVALID':
      return true;
    case 'LOUSHO_PROVIDER_REQUEST_FAILED':
      return !isKept || !error.retryable;
    default:
      return false;
  }
}
