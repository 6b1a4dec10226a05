import type { TestedMutant } from './patched-mutant.js';

/** What DynamoDB brings out where it is slow, throttled or brief. */
export const DYNAMODB_MUTANTS: readonly TestedMutant[] = [
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
];
