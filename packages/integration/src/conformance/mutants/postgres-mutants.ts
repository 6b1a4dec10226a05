import type { TestedMutant } from './patched-mutant.js';

/** What Postgres, a pooler or the way to them brings out. */
export const POSTGRES_MUTANTS: readonly TestedMutant[] = [
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
];
