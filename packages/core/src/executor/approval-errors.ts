import { SDKError } from '../contract/index.js';

export function approvalNotFound(id: string): SDKError {
  return new SDKError('LOUSHO_APPROVAL_NOT_FOUND', `there is no approval ${id}`);
}

export function alreadyDecided(id: string): SDKError {
  return new SDKError('LOUSHO_APPROVAL_NOT_FOUND', `approval ${id} was already decided`);
}

export function orphaned(id: string, sessionId: string): SDKError {
  return new SDKError(
    'LOUSHO_APPROVAL_ORPHANED',
    `approval ${id} was withdrawn: session ${sessionId} does not wait on it any more`,
  );
}
