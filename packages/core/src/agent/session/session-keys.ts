import { SDKError, show } from '../../contract/index.js';

const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;
const TURN = /^([A-Za-z0-9_-]{1,128})\.turn-(\d+)$/;
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

/** The checkpoint of the turn that begins behind so many messages. */
export function turnKey(sessionId: string, transcriptLength: number | ''): string {
  return `${sessionId}.turn-${transcriptLength}`;
}

/** Behind how many messages the turn of a key began; NaN for another key. */
export function turnNumber(key: string): number {
  return Number(TURN.exec(key)?.[2]);
}

/** The session whose turn a checkpoint is; `undefined` for a run. */
export function sessionOfTurn(key: string): string | undefined {
  return TURN.exec(key)?.[1];
}

/** Marks a session one of whose turns waits for a person. */
export function pausedKey(sessionId: string): string {
  return `${sessionId}${PAUSED}`;
}

export function isPausedKey(key: string): boolean {
  return key.endsWith(PAUSED);
}
