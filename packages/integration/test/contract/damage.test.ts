import { CheckpointCorruptError } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { checkpoint, user } from '../harness/builders.js';
import { onCheckpointStores } from '../harness/on-stores.js';

describe('CHECKPOINT, LIST: damaged records', () => {
  onCheckpointStores((newStorage) => {
    it('CHECKPOINT-16 LIST-12 an unreadable record is an error of its own, and the others are listed', async () => {
      const storage = newStorage();
      const { checkpoints } = storage.open();
      for (const sessionId of ['broken', 'whole']) {
        for (const revision of [1, 2, 3]) {
          await checkpoints.save(
            sessionId,
            checkpoint({ sessionId, revision, messages: [user('x'.repeat(200))] }),
          );
        }
      }
      if (!storage.damage) {
        expect(await checkpoints.list()).toHaveLength(2);
        return;
      }
      storage.damage('broken');
      const reader = storage.open().checkpoints;
      await expect(reader.load('broken')).rejects.toThrow(CheckpointCorruptError);
      expect(await reader.load('whole')).not.toBeNull();
      expect(await reader.list()).toMatchObject([
        {
          sessionId: 'broken',
          status: 'in-progress',
          checkpoint: { lastError: { code: 'LOUSHO_CHECKPOINT_CORRUPT', retryable: false } },
        },
        { sessionId: 'whole', checkpoint: { revision: 3 } },
      ]);
      await reader.delete('broken');
      expect(await reader.load('broken')).toBeNull();
    });
  });
});
