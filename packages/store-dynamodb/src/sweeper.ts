import type { Call, Key } from './call.js';
import { rowNames } from './checkpoint-rows.js';
import { checkpointKey, HEAD, messageFrom, parseRowName } from './item-names.js';
import type { Cut } from './save-state.js';

/** Deletes the messages that no kept save sees since these cuts. */
export async function sweepCuts(call: Call, sessionId: string, cuts: readonly Cut[]): Promise<void> {
  for (const [seq, from, to] of cuts) {
    const names = await rowNames(call, sessionId, messageFrom(from), messageFrom(to));
    await drop(
      call,
      sessionId,
      names.filter((name) => isOlder(name, seq)),
    );
  }
}

/** Deletes every row of saves up to `seq`, seen or not. */
export async function sweepAll(call: Call, sessionId: string, seq: number): Promise<void> {
  const names = await rowNames(call, sessionId, `${HEAD}!`, '~');
  await drop(
    call,
    sessionId,
    names.filter((name) => isOlder(name, seq + 1)),
  );
}

async function drop(call: Call, sessionId: string, names: readonly string[]): Promise<void> {
  const { pk } = checkpointKey(sessionId);
  const keys: Key[] = names.map((sk) => ({ pk, sk }));
  await call.write([], keys);
}

function isOlder(name: string, seq: number): boolean {
  const row = parseRowName(name);
  return row !== undefined && row.seq < seq;
}
