import { ConfigurationError, type Message, SDKError } from '../../contract/index.js';
import { shortHash } from '../../run/short-hash.js';
import { toolResult } from '../../run/tool-result.js';
import { turnKey } from '../../run/turn-key.js';
import { assertSessionId } from './session-keys.js';
import type { Transcripts } from './transcripts.js';

/** Commits the messages as a new session: under the wanted id, or the first free one. */
export async function createFork(
  { sessions, checkpoints }: Transcripts,
  sourceId: string,
  wantedId: string | undefined,
  messages: readonly Message[],
): Promise<string> {
  // A session whose first turn is still going on has no transcript yet.
  const create = async (id: string): Promise<boolean> =>
    (await checkpoints.load(turnKey(id, 0))) === null && (await sessions.saveIf(id, 0, messages));
  if (wantedId !== undefined) {
    assertSessionId(wantedId);
    if (await create(wantedId)) return wantedId;
    throw new SDKError('LOUSHO_SESSION_EXISTS', `session ${wantedId} has a transcript`);
  }
  for (let n = 1; ; n++) {
    const id = await forkId(sourceId, n);
    if (await create(id)) return id;
  }
}

const MAX_ID = 128;
const HASH_CHARACTERS = 8;

/** `<id>-fork-<n>`; an id that would be too long is shortened, with a hash of the whole. */
async function forkId(sourceId: string, n: number): Promise<string> {
  const suffix = `-fork-${n}`;
  if (sourceId.length + suffix.length <= MAX_ID) return `${sourceId}${suffix}`;
  const hash = (await shortHash(sourceId)).slice(0, HASH_CHARACTERS);
  const kept = sourceId.slice(0, MAX_ID - suffix.length - HASH_CHARACTERS - 1);
  return `${kept}-${hash}${suffix}`;
}

/** The transcript with another result of one of its calls. */
export function patched(
  messages: readonly Message[],
  patch: { readonly toolCallId: string; readonly result: unknown } | undefined,
): readonly Message[] {
  if (!patch) return messages;
  const index = messages.findLastIndex(
    (message) => message.role === 'tool' && message.toolCallId === patch.toolCallId,
  );
  const replaced = messages[index];
  if (!replaced) {
    throw new ConfigurationError(
      `Expected \`patch.toolResult.toolCallId\` to be a call of the kept steps, got ${patch.toolCallId}`,
      {
        field: 'patch.toolResult',
      },
    );
  }
  const call = {
    id: patch.toolCallId,
    type: 'function',
    function: { name: replaced.toolName ?? '', arguments: '' },
  } as const;
  return messages.with(index, toolResult(call, patch.result));
}
