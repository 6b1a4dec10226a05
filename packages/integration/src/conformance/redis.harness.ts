import type { ConformanceHarness } from '@lousho/conformance';
import { RedisStore } from '@lousho/store-redis';
import { sharedRedis } from '@lousho/test-backends';
import { Redis } from 'ioredis';

/** The shared server keeps an append-only file. Told here, because a harness is asked before the store has asked the server. */
const SURVIVES = 'process-crash';

const harness: ConformanceHarness = {
  name: 'redis',
  // A client's clock reaches nothing that decides: the clock given here stands in for the server's.
  seams: ['clock', 'clientClock', 'historyLimit'],
  module: import.meta.url,
  createStorage: async ({ clock, historyLimit }) => {
    const { url, freeName } = await sharedRedis();
    const prefix = `${freeName()}:`;
    const options = {
      prefix,
      survives: SURVIVES,
      ...(historyLimit !== undefined && { historyLimit }),
    } as const;
    return {
      config: { url, prefix },
      open: async () => new RedisStore(url, { ...options, clock }),
      damage: (sessionId) => scribble(url, `${prefix}{${sessionId}}:kept`),
      dispose: () => removeKeys(url, prefix),
    };
  },
};

export default harness;

export const openFromConfig = (config: unknown) => {
  const { url, prefix } = config as { url: string; prefix: string };
  return new RedisStore(url, { prefix, survives: SURVIVES });
};

/** Cuts the end off the newest kept head. */
async function scribble(url: string, key: string): Promise<void> {
  const client = new Redis(url);
  await client.lset(key, 0, ((await client.lindex(key, 0)) ?? '').slice(0, -8));
  client.disconnect();
}

async function removeKeys(url: string, prefix: string): Promise<void> {
  const client = new Redis(url);
  for (let cursor = '0'; ; ) {
    const [next, keys] = await client.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 1_000);
    if (keys.length > 0) await client.unlink(...keys);
    if (next === '0') break;
    cursor = next;
  }
  client.disconnect();
}
