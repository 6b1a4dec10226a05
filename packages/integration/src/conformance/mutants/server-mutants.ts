import type { PatchedMutant, TestedMutant } from './patched-mutant.js';

/** What a store on a server can do wrong, and rules can see. */
export const SERVER_MUTANTS: readonly PatchedMutant[] = [
  {
    name: 'postgres-jsonb',
    says: 'Messages are kept as jsonb keeps them.',
    store: 'postgres',
    killedBy: ['FIDELITY-03'],
    patches: [
      {
        file: 'store-postgres/dist/save-statement.js',
        find: 'SELECT session_key, idx, seq, body FROM changed',
        replace: 'SELECT session_key, idx, seq, body::jsonb::text FROM changed',
      },
    ],
  },
  {
    name: 'redis-reads-then-releases',
    says: 'A release looks who holds the lease, and ends it by another command.',
    store: 'redis',
    killedBy: ['LEASE-25'],
    patches: [
      {
        file: 'store-redis/dist/lease-scripts.js',
        find: "if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end",
        replace: '',
      },
      {
        file: 'store-redis/dist/lease-records.js',
        find: 'const keys = this.keys.run(sessionId).slice(0, 2);',
        replace: `const holder = await this.link.client.call('hget', this.keys.lease(sessionId), 'owner');
        if (holder !== JSON.stringify(owner)) return;
        const keys = this.keys.run(sessionId).slice(0, 2);`,
      },
    ],
  },
  {
    name: 'redis-decodes-in-lua',
    says: 'The script looks into the messages.',
    store: 'redis',
    killedBy: ['FIDELITY-01'],
    patches: [
      {
        file: 'store-redis/dist/run-scripts.js',
        find: 'local row = ARGV[12 + at - from]',
        replace: 'local row = cjson.encode(cjson.decode(ARGV[12 + at - from]))',
      },
    ],
  },
  {
    name: 'dynamodb-waits-for-the-ttl',
    says: 'A lease is over when the service has removed its record.',
    store: 'dynamodb',
    killedBy: ['LEASE-34'],
    patches: [
      {
        file: 'store-dynamodb/dist/dynamodb-leases.js',
        find: 'if (head.lease && this.watch.remainingMs(sessionId, head.lease) > 0)',
        replace: 'if (head.lease)',
      },
    ],
  },
];

/** What shows only where a server, or the way to it, fails. */
export const TESTED_MUTANTS: readonly TestedMutant[] = [
  {
    name: 'postgres-now',
    says: 'Time is read as it was when the statement began.',
    file: 'store-postgres/test/contention.test.ts',
    killedBy: ['locks A32 a taker that waited'],
    patches: [
      { file: 'store-postgres/dist/server-time.js', find: 'FROM clock_timestamp()', replace: 'FROM now()' },
    ],
  },
  {
    name: 'postgres-named-statements',
    says: 'Statements are prepared under names.',
    file: 'store-postgres/test/pooler.test.ts',
    killedBy: ['A28 A29 eight clients'],
    patches: [
      {
        file: 'store-postgres/dist/attempt.js',
        find: 'client.query({ text, values: [...values] })',
        replace: `client.query({
                name: \`s\${[...text].reduce((sum, character) => (Math.imul(sum, 31) + character.charCodeAt(0)) | 0, 0)}\`,
                text,
                values: [...values],
            })`,
      },
    ],
  },
  {
    name: 'postgres-session-lock',
    says: 'The takers of an id are ordered by a lock of the session.',
    file: 'store-postgres/test/pooler.test.ts',
    killedBy: ['A28 A29 eight clients'],
    patches: [
      {
        file: 'store-postgres/dist/lease-table.js',
        find: 'pg_advisory_xact_lock(',
        replace: 'pg_advisory_lock(',
      },
    ],
  },
  {
    name: 'postgres-conflict-is-final',
    says: 'What another transaction was in the way of is not tried again.',
    file: 'store-postgres/test/contention.test.ts',
    killedBy: ['writers of one id A30 with serializable transactions'],
    patches: [
      {
        file: 'store-postgres/dist/failure.js',
        find: "if (code === '40001' || code === '40P01')",
        replace: "if (code === '40P01')",
      },
    ],
  },
  {
    name: 'postgres-sends-a-lost-commit-again',
    says: 'A save whose answer was lost is sent again on another connection.',
    file: 'store-postgres/test/lost-replies.test.ts',
    killedBy: ['A34 an answer that is lost of a plain save: the save is found by its mark'],
    patches: [
      {
        file: 'store-postgres/dist/save-queue.js',
        find: 'return this.#findOut(batch, error);',
        replace: 'return batch.forEach((job) => this.#again(job, pauseMs(job.attempts)));',
      },
    ],
  },
  {
    name: 'postgres-believes-a-lost-commit',
    says: 'A save whose answer was lost counts as made.',
    file: 'store-postgres/test/lost-replies.test.ts',
    killedBy: ['A34 an answer that is lost of a plain save, which cannot be found out'],
    patches: [
      {
        file: 'store-postgres/dist/save-queue.js',
        find: 'return this.#findOut(batch, error);',
        replace: 'return batch.forEach((job) => job.resolve(true));',
      },
    ],
  },
  {
    name: 'postgres-no-listener',
    says: 'Nobody listens to the errors of idle connections.',
    file: 'store-postgres/test/lost-replies.test.ts',
    killedBy: ['A33 connections that the server ends while idle do not end the process'],
    patches: [
      {
        file: 'store-postgres/dist/pool-listeners.js',
        find: "pool.on('error', ignore);",
        replace: '',
      },
    ],
  },
  {
    name: 'postgres-deaf-while-connecting',
    says: 'Nobody listens to the errors of a new connection until its taker has heard of it.',
    file: 'store-postgres/test/lost-replies.test.ts',
    killedBy: ['A33 connections that the server ends in the packet that opens them'],
    patches: [
      {
        file: 'store-postgres/dist/pool-listeners.js',
        find: "events.on('connect', untilLent);",
        replace: '',
      },
    ],
  },
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
    name: 'dynamodb-eventual-reads',
    says: 'The record of an id is read without asking for the latest.',
    file: 'store-dynamodb/test/service-faults.test.ts',
    killedBy: ['A52: reads are strongly consistent a replica that serves the state before'],
    patches: [
      {
        file: 'store-dynamodb/dist/call.js',
        find: 'Key: item({ ...key }), ConsistentRead: true }',
        replace: 'Key: item({ ...key }) }',
      },
    ],
  },
  {
    name: 'dynamodb-cancelled-is-refused',
    says: 'Every cancelled transaction counts as a condition that did not hold.',
    file: 'store-dynamodb/test/service-faults.test.ts',
    killedBy: ['A51: conflicts and throttling are no lost lease TransactionCanceledException is tried again'],
    patches: [
      {
        file: 'store-dynamodb/dist/dynamodb-errors.js',
        find: "if (name === 'TransactionCanceledException') {",
        replace: "if (name === 'TransactionCanceledException') {\n        return 'condition';",
      },
    ],
  },
  {
    name: 'dynamodb-drops-writes',
    says: 'What the service left unwritten is dropped.',
    file: 'store-dynamodb/test/service-faults.test.ts',
    killedBy: ['A53: what the service leaves unprocessed is sent again every item'],
    patches: [
      {
        file: 'store-dynamodb/dist/call.js',
        find: '...waiting.slice(WRITE_BATCH), ...left]',
        replace: '...waiting.slice(WRITE_BATCH)]',
      },
    ],
  },
  {
    name: 'dynamodb-first-page',
    says: 'Of what comes in pages the first one is read.',
    file: 'store-dynamodb/test/service-faults.test.ts',
    killedBy: ['A55: what comes in pages is read to the last one'],
    patches: [
      {
        file: 'store-dynamodb/dist/call.js',
        find: 'start = page.LastEvaluatedKey;',
        replace: 'start = undefined;',
      },
    ],
  },
  {
    name: 'kv-ttl-of-the-lease',
    says: 'The key of a lease expires with the lease.',
    file: 'store-kv/test/leases.test.ts',
    killedBy: ['leases A54 a lease of 30 s works'],
    patches: [
      {
        file: 'store-kv/dist/kv-leases.js',
        find: 'REMEMBERED_SECONDS + Math.ceil(ttlMs / 1_000)',
        replace: 'Math.ceil(ttlMs / 1_000)',
      },
    ],
  },
  {
    name: 'kv-first-page',
    says: 'Of a listing the first page is read.',
    file: 'store-kv/test/limits.test.ts',
    killedBy: ['A55: listings of many pages with 3 keys a page, empty ones in between: true'],
    patches: [
      {
        file: 'store-kv/dist/kv-values.js',
        find: 'if (!page || page.list_complete)',
        replace: 'if (page)',
      },
    ],
  },
];
