import { SDKError, show } from '../../contract/index.js';

const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;
const PAUSED = '.paused';

/** Refuses, with `LOUSHO_SESSION_ID_INVALID`, what is not the id of a session: stricter than a run's. */
export function assertSessionId(id: unknown): asserts id is string {
  if (typeof id === 'string' && SESSION_ID.test(id)) return;
  throw new SDKError(
    'LOUSHO_SESSION_ID_INVALID',
    `Expected a session id of 1-128 letters, digits, \`_\` and \`-\`, got ${show(id)}`,
  );
}

export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id);
}

/** Marks a session one of whose turns waits for a person. */
export function pausedKey(sessionId: string): string {
  return `${sessionId}${PAUSED}`;
}

export function isPausedKey(key: string): boolean {
  return key.endsWith(PAUSED);
}
