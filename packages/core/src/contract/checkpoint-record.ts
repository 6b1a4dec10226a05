import { type Checkpoint, statusOf } from './checkpoint.js';
import type { LogRecord, LogWrite } from './checkpoint-log.js';
import type { HistoryEntry, PendingCheckpoint } from './checkpoint-store.js';
import { isoTime } from './clock.js';
import { decode, encode } from './codec.js';
import { CheckpointCorruptError, SDKError } from './errors.js';
import { assertFormat } from './format.js';

/** A checkpoint as rows. Everything that the caller does not vouch for is encoded, and so checked, before any store is asked. */
export function encodeWrite(
  checkpoint: Checkpoint,
  request: { owner?: string; unchangedMessages: number; savedAt: number },
): LogWrite {
  const { messages, ...rest } = checkpoint;
  const rows: (string | undefined)[] = new Array(messages.length);
  // The array's entries are remembered, so that a fallback to a full write sees what was passed, not what it became meanwhile.
  const passed = messages.slice();
  for (let index = request.unchangedMessages; index < passed.length; index++) {
    rows[index] = encode(passed[index], `checkpoint.messages[${index}]`);
  }
  return {
    sessionId: checkpoint.sessionId,
    owner: request.owner,
    revision: checkpoint.revision,
    status: statusOf(checkpoint),
    step: checkpoint.stepIndex,
    head: encode(rest, 'checkpoint'),
    messageCount: passed.length,
    unchangedMessages: request.unchangedMessages,
    savedAt: request.savedAt,
    row: (index) => {
      const known = rows[index];
      if (known !== undefined) return known;
      const text = encode(passed[index], `checkpoint.messages[${index}]`);
      rows[index] = text;
      return text;
    },
  };
}

export function decodeRecord(sessionId: string, record: LogRecord): Checkpoint {
  const head = decodeHead(sessionId, record.head);
  const messages = record.rows.map((row, index) => {
    try {
      return decode(row);
    } catch (cause) {
      throw unreadable(sessionId, `message ${index} is not readable`, cause);
    }
  });
  return { ...head, messages } as unknown as Checkpoint;
}

export function historyEntry(sessionId: string, record: LogRecord): HistoryEntry {
  const checkpoint = decodeRecord(sessionId, record);
  return {
    step: checkpoint.stepIndex,
    savedAt: isoTime(record.savedAt),
    status: statusOf(checkpoint),
    checkpoint,
  };
}

/** What `listPending()` says of a head. */
export function pendingOf(checkpoint: Omit<Checkpoint, 'messages'>): PendingCheckpoint {
  const { approvalId, approvalKind, lastError, attempts } = checkpoint;
  return {
    sessionId: checkpoint.sessionId,
    status: statusOf(checkpoint) === 'awaiting-approval' ? 'awaiting-approval' : 'in-progress',
    step: checkpoint.stepIndex,
    ...(approvalId !== undefined && { approvalId }),
    ...(approvalKind !== undefined && { approvalKind }),
    ...(lastError !== undefined && { lastError }),
    ...(attempts !== undefined && { attempts }),
  };
}

/** An unreadable checkpoint as the listings show it: in progress, with the reason. */
export function corruptCheckpoint(sessionId: string, fault: Error, at: number): Checkpoint {
  return {
    sessionId,
    stepIndex: 0,
    messages: [],
    status: 'in-progress',
    lastError: {
      message: fault.message,
      code: fault instanceof SDKError ? fault.code : 'LOUSHO_CHECKPOINT_CORRUPT',
      retryable: false,
      at: isoTime(at),
    },
  };
}

export function decodeHead(sessionId: string, head: string): Omit<Checkpoint, 'messages'> {
  let value: unknown;
  try {
    value = decode(head);
  } catch (cause) {
    throw unreadable(sessionId, 'its head is not readable', cause);
  }
  if (typeof value !== 'object' || value === null || typeof (value as Checkpoint).stepIndex !== 'number') {
    throw unreadable(sessionId, 'its head is not a checkpoint', undefined);
  }
  assertFormat(`checkpoint ${sessionId}`, value);
  return { ...(value as Omit<Checkpoint, 'messages'>), sessionId };
}

function unreadable(sessionId: string, detail: string, cause: unknown): CheckpointCorruptError {
  return new CheckpointCorruptError(sessionId, `checkpoint ${sessionId}: ${detail}`, { cause });
}
