import type { Redis } from 'ioredis';

/** The keys that begin with `prefix`, some at a time. */
export async function* keysOf(client: Redis, prefix: string): AsyncGenerator<readonly string[]> {
  for (let cursor = '0'; ; ) {
    const [next, keys] = await client.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 1_000);
    if (keys.length > 0) yield keys;
    if (next === '0') return;
    cursor = next;
  }
}
