/** Where a failure that became public once is kept from coming back. */
export interface PublicCase {
  /** `A01`. */
  readonly name: string;
  /** A report of it, `owner/repository#number`. */
  readonly report: string;
  readonly says: string;
  /** Rules by their id (`FENCE-04`), fault cells by theirs (`stop:F1:A01`), tests by their file. */
  readonly keptBy: readonly string[];
}

/** The public cases that concern stores: any of them, Redis, Postgres, SQLite, files, DynamoDB, KV. */
export const PUBLIC_CASES: readonly PublicCase[] = [
  {
    name: 'A01',
    report: 'OptimalBits/bull#308',
    says: 'a lock that was renewed too late let two workers complete one job',
    keptBy: ['stop:F1:A01', 'FENCE-04', 'FENCE-12'],
  },
  {
    name: 'A02',
    report: 'OptimalBits/bull#476',
    says: 'a busy event loop sent no renewals',
    keptBy: ['blocked-event-loop:A02:A09'],
  },
  {
    name: 'A03',
    report: 'OptimalBits/bull#1416',
    says: 'a holder did not notice that it had lost its lock during a stall',
    keptBy: ['stop:F2:A03', 'packages/integration/test/lease/stalled-run.test.ts'],
  },
  {
    name: 'A04',
    report: 'mike-marcacci/node-redlock#283',
    says: 'renewing an expired lock threw outside of any handler',
    keptBy: ['LEASE-08', 'LEASE-08:taken-over', 'packages/integration/test/lease/stalled-run.test.ts'],
  },
  {
    name: 'A05',
    report: 'mike-marcacci/node-redlock#309',
    says: 'releasing after the loss was tried again for seconds',
    keptBy: ['LEASE-11', 'packages/integration/test/lease/stalled-run.test.ts'],
  },
  {
    name: 'A06',
    report: 'mike-marcacci/node-redlock#369',
    says: 'a lock was granted that had expired while it was acquired',
    keptBy: ['LEASE-07', 'packages/integration/test/lease/weaker-stores.test.ts'],
  },
  {
    name: 'A07',
    report: 'awslabs/amazon-dynamodb-lock-client#116',
    says: 'a heartbeat under way brought a released lock back',
    keptBy: ['LEASE-08', 'packages/integration/test/lease/heartbeat.test.ts'],
  },
  {
    name: 'A08',
    report: 'awslabs/amazon-dynamodb-lock-client#1',
    says: 'a random version gave no order by which to fence',
    keptBy: ['LEASE-05', 'FENCE-04'],
  },
  {
    name: 'A09',
    report: 'kubernetes/kubernetes#23731',
    says: 'an elected leader lost its lease and carried on',
    keptBy: ['blocked-event-loop:A02:A09', 'packages/integration/test/lease/stalled-run.test.ts'],
  },
  {
    name: 'A10',
    report: 'kubernetes/kubernetes#67651',
    says: 'with many candidates two terms overlapped',
    keptBy: ['FENCE-12:processes', 'LEASE-13:processes', 'threads:leases:A19'],
  },
  {
    name: 'A11',
    report: 'abelaska/jedis-lock#2',
    says: 'a release deleted the lock of the successor',
    keptBy: ['LEASE-11', 'LEASE-11:late', 'FENCE-12:race'],
  },
  {
    name: 'A12',
    report: 'etcd-io/etcd#11456',
    says: 'a lock was granted to one whose own lease had died while it waited',
    keptBy: ['LEASE-07', 'packages/integration/test/lease/weaker-stores.test.ts'],
  },
  {
    name: 'A13',
    report: 'laravel/horizon#1738',
    says: 'a crash between two commands left a lock for ever',
    keptBy: ['kill:F1:A13', 'kill:F2', 'namespaces:killed:A13', 'LEASE-06'],
  },
  {
    name: 'A14',
    report: 'valkey-io/valkey#2651',
    says: 'a jump of the wall clock expired leases, or made them immortal',
    keptBy: ['clocks:A14:A15'],
  },
  {
    name: 'A15',
    report: 'johanhaleby/occurrent#659',
    says: 'an expiry was written by one clock and judged by another',
    keptBy: ['clocks:A14:A15', 'LEASE-22'],
  },
  {
    name: 'A16',
    report: 'stacklok/mecatl#1333',
    says: 'after a laptop slept, a lease that nobody had touched was declared lost',
    keptBy: ['stop:without-rival:A16', 'FENCE-03', 'LEASE-09'],
  },
  {
    name: 'A17',
    report: 'openclaw/openclaw#88342',
    says: 'a reused process id kept a dead holder alive',
    keptBy: ['namespaces:reused-pid:A17'],
  },
  {
    name: 'A18',
    report: 'garrytan/gbrain#2840',
    says: 'a live holder in another PID namespace was taken for dead',
    keptBy: ['namespaces:A18', 'namespaces:time:A18'],
  },
  {
    name: 'A19',
    report: 'npm/write-file-atomic#37',
    says: 'threads share the process id: names collided, locks were taken for one’s own',
    keptBy: ['threads:without-leases:A19', 'threads:leases:A19', 'threads:live-run:A19'],
  },
  {
    name: 'A20',
    report: 'redisson/redisson#2669',
    says: 'a failover to a replica lost a lock that had been acknowledged',
    keptBy: ['packages/store-redis/test/failover.test.ts', 'packages/store-redis/test/sentinel.test.ts'],
  },
  {
    name: 'A21',
    report: 'redis/ioredis#2193',
    says: 'a command whose reply was lost was sent again and done twice, or never settled',
    keptBy: ['packages/store-redis/test/resend.test.ts'],
  },
  {
    name: 'A22',
    report: 'redis/redis#4560',
    says: 'a script used keys of several slots',
    keptBy: ['packages/store-redis/test/cluster.test.ts'],
  },
  {
    name: 'A23',
    report: 'redis/redis#703',
    says: 'a script that reads the time and writes differed on replicas',
    keptBy: ['packages/store-redis/test/failover.test.ts'],
  },
  {
    name: 'A24',
    report: 'redis/redis#856',
    says: 'JSON that was decoded in Lua came back changed',
    keptBy: ['FIDELITY-01', 'FIDELITY-07', 'packages/store-redis/test/scripts.test.ts'],
  },
  {
    name: 'A25',
    report: 'taskforcesh/bullmq#2215',
    says: 'a full memory evicted locks',
    keptBy: ['packages/store-redis/test/server-check.test.ts'],
  },
  {
    name: 'A26',
    report: 'redis/ioredis#1438',
    says: 'a script that the server had forgotten was an error',
    keptBy: ['packages/store-redis/test/scripts.test.ts'],
  },
  {
    name: 'A27',
    report: 'redisson/redisson#7089',
    says: 'the server refused a fractional or an empty ttl',
    keptBy: ['REFUSAL-06', 'packages/store-redis/test/time.test.ts'],
  },
  {
    name: 'A28',
    report: 'pgbouncer/pgbouncer#102',
    says: 'advisory locks of a session went through a transaction pooler',
    keptBy: ['packages/store-postgres/test/pooler.test.ts'],
  },
  {
    name: 'A29',
    report: 'porsager/postgres#547',
    says: 'named statements went through a transaction pooler',
    keptBy: ['packages/store-postgres/test/pooler.test.ts'],
  },
  {
    name: 'A30',
    report: 'argoproj/argo-workflows#16101',
    says: 'a serialization failure counted as final',
    keptBy: ['packages/store-postgres/test/contention.test.ts'],
  },
  {
    name: 'A31',
    report: 'kodustech/kodus-ai#1683',
    says: 'jsonb refused NUL and half a surrogate pair',
    keptBy: ['FIDELITY-02', 'packages/store-postgres/test/rows.test.ts'],
  },
  {
    name: 'A32',
    report: 'event-driven-io/emmett#339',
    says: 'an expiry was judged by the time at which a wait began',
    keptBy: ['packages/store-postgres/test/contention.test.ts'],
  },
  {
    name: 'A33',
    report: 'brianc/node-postgres#2386',
    says: 'an idle connection that broke ended the process',
    keptBy: ['packages/store-postgres/test/lost-replies.test.ts'],
  },
  {
    name: 'A34',
    report: 'get-convex/convex-backend#559',
    says: 'the acknowledgement of a commit was lost',
    keptBy: ['packages/store-postgres/test/lost-replies.test.ts'],
  },
  {
    name: 'A35',
    report: 'Auxx-Ai/auxx-ai#762',
    says: 'jsonb changed the order of keys and lost -0',
    keptBy: ['FIDELITY-03', 'FIDELITY-07', 'packages/store-postgres/test/rows.test.ts'],
  },
  {
    name: 'A36',
    report: 'WiseLibs/better-sqlite3#1067',
    says: 'a read transaction that turned into a write was refused whatever the time-out',
    keptBy: ['CHECKPOINT-13:processes', 'packages/store-sqlite/test/locks.test.ts'],
  },
  {
    name: 'A37',
    report: 'electric-sql/electric#3857',
    says: 'a write-ahead log on a network file system was damaged',
    keptBy: ['packages/store-sqlite/test/network-file-system.test.ts'],
  },
  {
    name: 'A38',
    report: 'chiselstrike/chiselstrike#1854',
    says: 'a power cut lost transactions that had been committed',
    keptBy: ['power-loss:F1:A39', 'power-loss:F2:A38'],
  },
  {
    name: 'A39',
    report: 'npm/write-file-atomic#64',
    says: 'the new name of a file was lost in a power cut',
    keptBy: ['power-loss:F1:A39'],
  },
  {
    name: 'A40',
    report: 'tinyhumansai/opencompany#1049',
    says: 'a file without its content stood under the final name',
    keptBy: ['power-loss:F1:A39', 'power-loss:F4:A40'],
  },
  {
    name: 'A41',
    report: 'anomalyco/opencode#7607',
    says: 'a full disk left an empty file',
    keptBy: ['full-disk:A41', 'io-error:F1:A41'],
  },
  {
    name: 'A42',
    report: 'npm/write-file-atomic#28',
    says: 'on Windows a rename over an open file failed',
    keptBy: ['packages/integration/test/conformance/faults-cases.test.ts'],
  },
  {
    name: 'A43',
    report: 'typeclaw/typeclaw#1276',
    says: 'a listing opened every file at once',
    keptBy: ['few-files:A43', 'packages/store-file/test/processes.test.ts'],
  },
  {
    name: 'A44',
    report: 'Q00/ouroboros#397',
    says: 'an id was used as a path',
    keptBy: ['hostile-ids:A44', 'ID-02'],
  },
  {
    name: 'A45',
    report: '8thpark/geode#94',
    says: 'ids that differ only in case shared a file',
    keptBy: ['ID-03', 'packages/store-file/test/file-names.test.ts'],
  },
  {
    name: 'A46',
    report: 'Blockmodo/coin_registry#4',
    says: 'an id was the name of a Windows device',
    keptBy: ['ID-04', 'packages/store-file/test/file-names.test.ts'],
  },
  {
    name: 'A47',
    report: 'Q00/ouroboros#1830',
    says: 'a failed save destroyed the checkpoint before it',
    keptBy: ['CHECKPOINT-15', 'REFUSAL-01', 'io-error:F1:A41'],
  },
  {
    name: 'A48',
    report: 'Ruya-AI/cozempic#127',
    says: 'what crashes left was listed, or piled up',
    keptBy: ['leftovers:A48'],
  },
  {
    name: 'A49',
    report: 'aaronsu11/langgraph-checkpoint-dynamodb#3',
    says: 'a record was too large for an item',
    keptBy: ['LIMITS-01', 'packages/store-dynamodb/test/sizes.test.ts'],
  },
  {
    name: 'A50',
    report: 'hashicorp/vault#2141',
    says: 'what had expired was still there, because the service removes it later',
    keptBy: ['LEASE-34', 'packages/store-dynamodb/test/service-faults.test.ts'],
  },
  {
    name: 'A51',
    report: 'pynamodb/PynamoDB#1264',
    says: 'a conflict or a throttled request was read as a condition that failed',
    keptBy: ['packages/store-dynamodb/test/service-faults.test.ts'],
  },
  {
    name: 'A52',
    report: 'langchain-ai/langchain-aws#753',
    says: 'an eventually consistent read gave the record before',
    keptBy: ['packages/store-dynamodb/test/service-faults.test.ts'],
  },
  {
    name: 'A53',
    report: 'boto/boto#1714',
    says: 'what the service left unprocessed was dropped',
    keptBy: ['packages/store-dynamodb/test/service-faults.test.ts'],
  },
  {
    name: 'A54',
    report: 'getsentry/sentry-mcp#784',
    says: 'a ttl below a minute was refused',
    keptBy: ['packages/store-kv/test/leases.test.ts'],
  },
  {
    name: 'A55',
    report: 'mastra-ai/mastra#22204',
    says: 'of a listing only the first page was read',
    keptBy: [
      'LIST-01:many',
      'packages/store-kv/test/limits.test.ts',
      'packages/store-dynamodb/test/service-faults.test.ts',
    ],
  },
  {
    name: 'A56',
    report: 'rhinobase/hono-rate-limiter#34',
    says: 'a key took one write a second, and more was an error',
    keptBy: ['packages/store-kv/test/limits.test.ts'],
  },
  {
    name: 'A57',
    report: 'cloudflare/cloudflare-docs#13263',
    says: 'another location read what was a minute old',
    keptBy: ['CLAIM-05', 'packages/store-kv/test/limits.test.ts', 'packages/store-kv/test/leases.test.ts'],
  },
];
