import type { Checkpoint } from './checkpoint.js';
import { decode } from './codec.js';
import { CheckpointCorruptError } from './errors.js';
import { assertFormat } from './format.js';

/**
 * Reads a checkpoint that a store keeps as one encoded text.
 *
 * @throws CheckpointCorruptError (`LOUSHO_CHECKPOINT_CORRUPT`) when the text is not one; `LOUSHO_STORAGE_INCOMPATIBLE` when a newer
 * version wrote it.
 */
export function decodeCheckpoint(sessionId: string, text: string): Checkpoint {
  let value: unknown;
  try {
    value = decode(text);
  } catch (cause) {
    throw new CheckpointCorruptError(sessionId, `checkpoint ${sessionId}: its record is not readable`, {
      cause,
    });
  }
  const { messages, stepIndex } = (value ?? {}) as Partial<Checkpoint>;
  if (!Array.isArray(messages) || typeof stepIndex !== 'number') {
    throw new CheckpointCorruptError(sessionId, `checkpoint ${sessionId}: its record is not a checkpoint`);
  }
  assertFormat(`checkpoint ${sessionId}`, value);
  return value as Checkpoint;
}
