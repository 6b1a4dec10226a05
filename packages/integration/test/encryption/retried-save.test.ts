import { checkpoint, messages } from '@lousho/conformance';
import { type BundledStore, encrypted, SDKError } from '@lousho/core';
import { memoryStore } from '@lousho/store-memory';
import { expect, it } from 'vitest';
import { keys } from './support/keys.js';

it('a save that failed and is sent again stores what it says, also of messages that were never loaded', async () => {
  const plain = memoryStore();
  const first = encrypted(plain, keys('k1')).checkpoints;
  await first.acquireLease?.('refund-42', 'worker-a', 30_000);
  await first.saveIfLeased?.('refund-42', checkpoint({ revision: 1, messages: messages('a') }), 'worker-a');

  // A second client of the same owner, which knows the messages only as its caller passes them.
  const second = encrypted(failingOnce(plain), keys('k1')).checkpoints;
  const next = checkpoint({ revision: 2, messages: messages('ab') });
  const save = () => second.saveIfLeased?.('refund-42', next, 'worker-a', { unchangedMessages: 1 });
  await expect(save()).rejects.toMatchObject({ code: 'LOUSHO_STORAGE_FAILED' });
  expect(await save()).toBe(true);
  expect(await second.load('refund-42')).toEqual(next);
});

function failingOnce(store: BundledStore): BundledStore {
  let hasFailed = false;
  const checkpoints = new Proxy(store.checkpoints, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        if (name !== 'saveIfLeased' || hasFailed) return value.apply(target, args);
        hasFailed = true;
        return Promise.reject(new SDKError('LOUSHO_STORAGE_FAILED', 'the disk was away'));
      };
    },
  });
  return { ...store, checkpoints, prune: store.prune.bind(store), close: store.close.bind(store) };
}
