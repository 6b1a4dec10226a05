import { DYNAMODB_MUTANTS } from './dynamodb-mutants.js';
import { KV_MUTANTS } from './kv-mutants.js';
import type { PatchedControl, PatchedMutant, TestedMutant } from './patched-mutant.js';
import { POSTGRES_MUTANTS } from './postgres-mutants.js';
import { REDIS_MUTANTS } from './redis-mutants.js';

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

export const SERVER_CONTROLS: readonly PatchedControl[] = [
  {
    name: 'postgres-saves-alone',
    says: 'Each save has a statement of its own.',
    store: 'postgres',
    passes: ['LEASE-25', 'FENCE-14', 'FIDELITY-03'],
    patches: [
      { file: 'store-postgres/dist/save-queue.js', find: 'MOST_SAVES = 100', replace: 'MOST_SAVES = 1' },
    ],
  },
  {
    name: 'redis-renews-alone',
    says: 'Each lease is renewed by a script of its own.',
    store: 'redis',
    passes: ['LEASE-25', 'FENCE-14', 'FIDELITY-01'],
    patches: [{ file: 'store-redis/dist/lease-records.js', find: 'BATCH = 500', replace: 'BATCH = 1' }],
  },
  {
    name: 'dynamodb-reads-twice',
    says: 'Before a lease is taken its record is read once more.',
    store: 'dynamodb',
    passes: ['LEASE-25', 'LEASE-34'],
    patches: [
      {
        file: 'store-dynamodb/dist/dynamodb-leases.js',
        find: 'const head = await readHead(call, sessionId);',
        replace:
          'await readHead(call, sessionId);\n            const head = await readHead(call, sessionId);',
      },
    ],
  },
];

/** What shows only where a server, or the way to it, fails. */
export const TESTED_MUTANTS: readonly TestedMutant[] = [
  ...POSTGRES_MUTANTS,
  ...REDIS_MUTANTS,
  ...DYNAMODB_MUTANTS,
  ...KV_MUTANTS,
];
