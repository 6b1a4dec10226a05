const TURN = /^([A-Za-z0-9_-]{1,128})\.turn-(\d+)$/;

/** The checkpoint of the turn that begins behind so many messages. */
export function turnKey(sessionId: string, transcriptLength: number): string {
  return `${turnPrefix(sessionId)}${transcriptLength}`;
}

/** What the keys of all turns of a session begin with. */
export function turnPrefix(sessionId: string): string {
  return `${sessionId}.turn-`;
}

/** Behind how many messages the turn of a key began; NaN for another key. */
export function turnNumber(key: string): number {
  return Number(TURN.exec(key)?.[2]);
}

/** The session whose turn a checkpoint is; `undefined` for a run. */
export function sessionOfTurn(key: string): string | undefined {
  return TURN.exec(key)?.[1];
}
