import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ConformanceHarness } from '@lousho/conformance';
import { type KVNamespace, KVStore } from '@lousho/store-kv';
import { connectKv, sharedKv } from '@lousho/test-backends';

const harness: ConformanceHarness = {
  name: 'kv',
  seams: ['clock', 'clientClock', 'historyLimit'],
  module: import.meta.url,
  createStorage: async ({ clock, historyLimit }) => {
    const { url, freeName } = await sharedKv();
    // A binding of its own: what one isolate makes up for by itself, it makes up for per binding.
    const kv = connectKv(url) as KVNamespace;
    const prefix = `${freeName()}/`;
    const options = {
      prefix,
      // The waits of the store are no part of what it promises.
      sleep: async () => void (await nextTurn()),
      ...(historyLimit !== undefined && { historyLimit }),
    };
    return {
      config: { url, prefix },
      open: async (own) => new KVStore(kv, { ...options, clock: own?.clock ?? clock }),
      damage: async (sessionId) => {
        const key = `${prefix}checkpoints/${sessionId}`;
        await kv.put(key, (await kv.get(key))?.slice(0, 20) ?? '');
      },
      dispose: async () => {},
    };
  },
};

export default harness;

export const openFromConfig = (config: unknown) => {
  const { url, prefix } = config as { url: string; prefix: string };
  return new KVStore(connectKv(url) as KVNamespace, { prefix });
};
