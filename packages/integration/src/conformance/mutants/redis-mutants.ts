import type { TestedMutant } from './patched-mutant.js';

/** What Redis, a cluster, Sentinel or the way to them brings out. */
export const REDIS_MUTANTS: readonly TestedMutant[] = [
  {
    name: 'redis-expires-in-another-command',
    says: 'A lease is taken by one command and given its expiry by another.',
    file: 'store-redis/test/resend.test.ts',
    killedBy: ['A13 an acquire that is cut off'],
    patches: [
      {
        file: 'store-redis/dist/lease-records.js',
        find: 'const args = [this.#now(), JSON.stringify(owner), ttlMs, ',
        replace: 'const args = [this.#now(), JSON.stringify(owner), 1e12, ',
      },
      {
        file: 'store-redis/dist/lease-records.js',
        find: 'return epoch === null ? false : { epoch: Number(epoch) };',
        replace: `if (epoch !== null) await this.renew([{ sessionId, owner }], ttlMs);
        return epoch === null ? false : { epoch: Number(epoch) };`,
      },
    ],
  },
  {
    name: 'redis-keys-in-any-slot',
    says: 'The keys of one id have no hash tag in common.',
    file: 'store-redis/test/cluster.test.ts',
    killedBy: ['A22 on three primaries'],
    patches: [
      { file: 'store-redis/dist/keys.js', find: '}}:lease`', replace: '}:lease}`' },
      {
        file: 'store-redis/dist/keys.js',
        find: "return ['lease', 'head'",
        replace: `const parts = ['lease', 'head', 'rows', 'kept', 'old'];
        if (id) return parts.map((part) => this.lease(id).replace(/lease}$/, part + '}'));
        return ['lease', 'head'`,
      },
    ],
  },
  {
    name: 'redis-no-fallback',
    says: 'A script that the server forgot is not sent again.',
    file: 'store-redis/test/scripts.test.ts',
    killedBy: ['A26 scripts that the server forgot', 'A26 the same with a client that sends pipelines'],
    patches: [
      { file: 'store-redis/dist/redis-link.js', find: 'if (!isUnknownScript(error))', replace: 'if (error)' },
    ],
  },
  {
    name: 'redis-forgets-its-calls',
    says: 'A call that a client sends again is not recognised.',
    file: 'store-redis/test/resend.test.ts',
    killedBy: ['A21 with a caller’s client, which sends again by itself a plain save'],
    patches: [
      {
        file: 'store-redis/dist/script.js',
        find: "redis.call('HSET', lease, 'recent', string.sub(' ' .. nonce .. (recent or ' '), 1, 240))",
        replace: '',
      },
    ],
  },
  {
    name: 'redis-stays-ended',
    says: 'A client that was given up while it connected is not connected again.',
    file: 'store-redis/test/sentinel.test.ts',
    killedBy: ['behind Sentinel a store whose connecting is broken off'],
    patches: [
      { file: 'store-redis/dist/readiness.js', find: 'if (!this.isOwn || ', replace: 'if (true || ' },
    ],
  },
];
