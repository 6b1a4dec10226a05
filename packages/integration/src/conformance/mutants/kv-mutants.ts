import type { TestedMutant } from './patched-mutant.js';

/** What Workers KV brings out by its limits. */
export const KV_MUTANTS: readonly TestedMutant[] = [
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
