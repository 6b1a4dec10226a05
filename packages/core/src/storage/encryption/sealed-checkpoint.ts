import { assertFormat } from '../../contract/format.js';
import { type Checkpoint, decode, encode, type LastError, type Message } from '../../contract/index.js';
import { tampered, truncated } from './envelope.js';
import type { SealedMessage } from './sealed-messages.js';
import type { Sealer } from './sealer.js';
import { type TranscriptSeal, transcriptSeal } from './transcript-seal.js';

/** What the inner store keeps in the clear: what it lists, prunes, orders and fences by. */
const CLEAR = [
  'sessionId',
  'revision',
  'stepIndex',
  'status',
  'approvalId',
  'approvalIds',
  'approvalKind',
  'attempts',
] as const satisfies readonly (keyof Checkpoint)[];

/** Everything but the messages, encoded: fixed before anything is awaited. */
export interface CheckpointText {
  readonly sessionId: string;
  readonly clear: Partial<Checkpoint>;
  readonly lastError: LastError | undefined;
  readonly text: string;
}

interface Body {
  readonly transcript: TranscriptSeal;
  readonly checkpoint: Omit<Checkpoint, 'messages'>;
}

export function checkpointText(checkpoint: Checkpoint): CheckpointText {
  const { messages: _, ...rest } = checkpoint;
  const text = encode(rest, 'checkpoint');
  // Read back, so that what is shown in the clear is what was encoded, whatever becomes of the caller's object.
  const fixed = decode(text) as Checkpoint;
  return { sessionId: checkpoint.sessionId, clear: clearFields(fixed), lastError: fixed.lastError, text };
}

/** The checkpoint that the inner store is given. */
export async function sealCheckpoint(
  sealer: Sealer,
  { sessionId, clear, lastError, text }: CheckpointText,
  envelopes: readonly string[],
): Promise<Checkpoint> {
  const body = `{"transcript":${encode(await transcriptSeal(envelopes))},"checkpoint":${text}}`;
  const [sealed, shownError] = await Promise.all([
    sealer.seal({ kind: 'checkpoint', id: sessionId }, body),
    lastError && sealError(sealer, sessionId, lastError),
  ]);
  const inner = {
    ...clear,
    ...(shownError && { lastError: shownError }),
    sealed,
    messages: envelopes.map((envelope) => ({ sealed: envelope })),
  };
  return inner as unknown as Checkpoint;
}

/** The checkpoint behind an inner one. Refuses what is not as it was sealed. */
export async function openCheckpoint(
  sealer: Sealer,
  sessionId: string,
  inner: Checkpoint,
  openMessages: (envelopes: readonly string[]) => Promise<readonly Message[]>,
): Promise<Checkpoint> {
  const record = `checkpoint ${sessionId}`;
  const { sealed } = inner as { readonly sealed?: unknown };
  const body = bodyOf(record, await sealer.open({ kind: 'checkpoint', id: sessionId }, sealed));
  const { transcript, checkpoint } = body;
  assertFormat(record, checkpoint);
  const clear = (of: Omit<Checkpoint, 'messages'>) => encode(clearFields({ ...of, sessionId }));
  if (clear(inner) !== clear(checkpoint)) throw tampered(record);
  if (inner.messages.length < transcript.count) throw truncated(record);
  // What is no envelope is refused when it is opened.
  const envelopes = inner.messages.map(
    (message) => (message as Partial<SealedMessage> | null)?.sealed as string,
  );
  const messages = await openMessages(envelopes);
  const found = await transcriptSeal(envelopes);
  if (found.count !== transcript.count || found.digest !== transcript.digest) throw tampered(record);
  return { ...checkpoint, messages };
}

export async function sealError(sealer: Sealer, sessionId: string, error: LastError): Promise<LastError> {
  const { retryable, at } = error;
  return { message: await sealer.seal({ kind: 'error', id: sessionId }, encode(error)), retryable, at };
}

function bodyOf(record: string, text: string): Body {
  try {
    return decode(text) as Body;
  } catch (cause) {
    throw tampered(record, cause);
  }
}

function clearFields(checkpoint: Omit<Checkpoint, 'messages'>): Partial<Checkpoint> {
  return Object.fromEntries(
    CLEAR.filter((field) => checkpoint[field] !== undefined).map((field) => [field, checkpoint[field]]),
  );
}
