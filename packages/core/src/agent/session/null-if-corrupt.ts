import { CheckpointCorruptError } from '../../contract/index.js';

/** `null` where a record cannot be read: nobody runs it, and it waits for nobody. Any other error stays one. */
export async function nullIfCorrupt<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof CheckpointCorruptError) return null;
    throw error;
  }
}
