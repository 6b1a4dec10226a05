import type { Patch, PatchedControl, PatchedMutant, WaitingMutant } from './patched-mutant.js';

const LOG = 'store-sqlite/dist/sqlite-checkpoint-log.js';
const NAMES = 'store-file/dist/file-names.js';

/** Time for other processes between what a writer has read and what it writes. */
const SLOW_APPEND: Patch = {
  file: 'store-file/dist/log-file.js',
  find: 'const failure = this.#writeOnce(line);',
  replace: `for (const end = performance.now() + 2; performance.now() < end; );
        const failure = this.#writeOnce(line);`,
};

/** What only a file store or a database can do wrong, and rules can see. */
export const STORE_MUTANTS: readonly PatchedMutant[] = [
  {
    name: 'file-append-believed',
    says: 'A record counts for its writer although another one came before it.',
    store: 'file',
    killedBy: ['LEASE-13:processes'],
    patches: [
      {
        file: 'store-file/dist/log-file.js',
        find: 'if (this.history.hasAccepted)',
        replace: 'if (failure === undefined)',
      },
      SLOW_APPEND,
    ],
  },
  {
    name: 'file-names-fold-case',
    says: 'Ids that differ only in case have one directory.',
    store: 'file',
    killedBy: ['ID-03:accepted'],
    patches: [
      {
        file: NAMES,
        find: 'id.replace(/[A-Z]/g,',
        replace: 'id.toLowerCase().replace(/[A-Z]/g,',
      },
    ],
  },
  {
    name: 'file-names-cut',
    says: 'Long ids that begin alike have one directory.',
    store: 'file',
    killedBy: ['ID-05:long'],
    patches: [
      {
        file: NAMES,
        find: "createHash('sha256').update(id)",
        replace: "createHash('sha256').update(id.slice(0, 100))",
      },
    ],
  },
  {
    name: 'sqlite-checks-in-another-transaction',
    says: 'The holder is checked in one transaction and its save written in the next.',
    store: 'sqlite',
    killedBy: ['FENCE-04:in-flight', 'FENCE-14'],
    patches: [
      {
        file: LOG,
        find: 'write(write) {',
        replace: `async write(write) {
        if (write.owner !== undefined) {
            const held = await this.connection.write(() => this.leases.epochOf(write.sessionId, write.owner));
            if (held === undefined) return false;
            return this.connection.write(() => { this.checkpoints.save(write, held); return true; });
        }`,
      },
    ],
  },
  {
    name: 'sqlite-no-busy-wait',
    says: 'A write that finds the database locked fails at once.',
    store: 'sqlite',
    killedBy: ['CHECKPOINT-13:processes'],
    patches: [
      {
        file: 'store-sqlite/dist/write-queue.js',
        find: 'giveUpAt: performance.now() + this.busyTimeoutMs',
        replace: 'giveUpAt: 0',
      },
      {
        file: 'store-sqlite/dist/open-database.js',
        find: 'timeout: BLOCKING_WAIT_MS',
        replace: 'timeout: 0',
      },
    ],
  },
];

export const STORE_CONTROLS: readonly PatchedControl[] = [
  {
    name: 'file-slow-append',
    says: 'Appending takes longer.',
    store: 'file',
    passes: ['LEASE-13', 'FENCE-12:processes', 'CHECKPOINT-14'],
    patches: [SLOW_APPEND],
  },
  {
    name: 'sqlite-deferred-begin',
    says: 'Writes begin as reads do; one that is refused for that is run again.',
    store: 'sqlite',
    passes: ['LEASE-13', 'FENCE-12:processes', 'FENCE-14', 'CHECKPOINT-13', 'CHECKPOINT-14'],
    patches: [{ file: 'store-sqlite/dist/connection.js', find: "'BEGIN IMMEDIATE'", replace: "'BEGIN'" }],
  },
];

const POWER = 'power-loss states of a traced run';
const SWEEP = 'the sweep of crash points';
const REFUSED = 'injected errors of the file system';

export const WAITING_STORE_MUTANTS: readonly WaitingMutant[] = [
  { name: 'file-no-sync', says: 'A record is acknowledged before it is on disk.', waitsFor: POWER },
  {
    name: 'file-no-directory-sync',
    says: 'A new log is acknowledged before its name is on disk.',
    waitsFor: POWER,
  },
  {
    name: 'file-temp-names-of-the-pid',
    says: 'Half-made logs are named by the process alone.',
    waitsFor: SWEEP,
  },
  { name: 'file-lists-leftovers', says: 'Half-made logs of dead processes are listed.', waitsFor: SWEEP },
  {
    name: 'file-syncs-again',
    says: 'After a failed sync, another one that succeeds is believed.',
    waitsFor: REFUSED,
  },
  { name: 'file-lists-with-all-open', says: 'A listing opens every log at once.', waitsFor: REFUSED },
  { name: 'sqlite-synchronous-off', says: 'A commit is acknowledged before it is on disk.', waitsFor: POWER },
  {
    name: 'sqlite-synchronous-normal',
    says: 'The same, while power loss is claimed to be survived.',
    waitsFor: POWER,
  },
];
