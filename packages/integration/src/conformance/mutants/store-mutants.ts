import type { Patch, PatchedControl, PatchedMutant } from './patched-mutant.js';

const LOG = 'store-sqlite/dist/sqlite-checkpoint-log.js';
const OPEN = 'store-sqlite/dist/open-database.js';
const NAMES = 'store-file/dist/file-names.js';
const FILES = 'store-file/dist/log-fs.js';

const SYNCHRONOUS = 'configure(db, options.synchronous)';

/** Time for other processes between what a writer has read and what it writes. */
const SLOW_APPEND: Patch = {
  file: 'store-file/dist/log-file.js',
  find: 'const failure = this.#writeOnce(line);',
  replace: `for (const end = performance.now() + 2; performance.now() < end; );
        const failure = this.#writeOnce(line);`,
};

/** What only a file store or a database can do wrong. */
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
        find: 'sha256(id)',
        replace: 'sha256(id.slice(0, 100))',
      },
    ],
  },
  {
    name: 'file-no-sync',
    says: 'A record is acknowledged before it is on disk.',
    store: 'file',
    killedBy: ['power-loss:F2:A38'],
    patches: [
      {
        file: FILES,
        find: 'fs.fdatasync(fd, (error) => (error ? reject(error) : resolve()))',
        replace: 'setImmediate(resolve)',
      },
    ],
  },
  {
    name: 'file-no-directory-sync',
    says: 'A new log is acknowledged before its name is on disk.',
    store: 'file',
    killedBy: ['power-loss:F1:A39'],
    patches: [
      {
        file: FILES,
        find: 'fs.fsync(fd, (error) => (error ? reject(error) : resolve()))',
        replace: 'setImmediate(resolve)',
      },
    ],
  },
  {
    name: 'file-temp-names-of-the-pid',
    says: 'Half-made logs are named by the process alone.',
    store: 'file',
    killedBy: ['leftovers:A48'],
    patches: [
      {
        file: 'store-file/dist/log-site.js',
        find: 'newNonce()}`',
        replace: 'process.pid}`',
      },
    ],
  },
  {
    name: 'file-lists-leftovers',
    says: 'Half-made logs of dead processes are listed.',
    store: 'file',
    killedBy: ['leftovers:A48'],
    patches: [
      {
        file: NAMES,
        find: 'return isStoreKey(id) && nameOfId(id) === name ? { id } : null;',
        replace: 'return { id };',
      },
    ],
  },
  {
    name: 'file-syncs-again',
    says: 'After a failed sync, another one that succeeds is believed.',
    store: 'file',
    killedBy: ['io-error:F2'],
    patches: [
      {
        file: 'store-file/dist/file-syncs.js',
        find: `this.#distrusted.set(log.path, history.syncedTo);
            throw outcomeUnknown(log.path, error);`,
        replace: 'await fdatasync(this.fs, fd);',
      },
    ],
  },
  {
    name: 'file-lists-with-all-open',
    says: 'A listing opens every log at once.',
    store: 'file',
    killedBy: ['few-files:A43'],
    patches: [
      {
        file: 'store-file/dist/log-collection.js',
        find: `finally {
                log.close();
            }
        });
    }
    /** Removes the log for good`,
        replace: `finally {
                setTimeout(() => log.close(), 1_000);
            }
        });
    }
    /** Removes the log for good`,
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
        file: OPEN,
        find: 'timeout: BLOCKING_WAIT_MS',
        replace: 'timeout: 0',
      },
    ],
  },
  {
    name: 'sqlite-synchronous-off',
    says: 'A commit is acknowledged before it is on disk.',
    store: 'sqlite',
    killedBy: ['power-loss:F1:A39'],
    patches: [{ file: OPEN, find: SYNCHRONOUS, replace: "configure(db, 'off')" }],
  },
  {
    name: 'sqlite-synchronous-normal',
    says: 'A commit is acknowledged before its log is on disk, while power loss is claimed to be survived.',
    store: 'sqlite',
    killedBy: ['power-loss:F2:A38'],
    patches: [{ file: OPEN, find: SYNCHRONOUS, replace: "configure(db, 'normal')" }],
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
    name: 'file-syncs-twice',
    says: 'Each record is brought to disk twice.',
    store: 'file',
    passes: ['power-loss:F2:A38', 'io-error:F2'],
    patches: [
      {
        file: FILES,
        find: 'fs.fdatasync(fd, (error) => (error ? reject(error) : resolve()))',
        replace:
          'fs.fdatasync(fd, (first) => (first ? reject(first) : fs.fdatasync(fd, (error) => (error ? reject(error) : resolve()))))',
      },
    ],
  },
  {
    name: 'sqlite-deferred-begin',
    says: 'Writes begin as reads do; one that is refused for that is run again.',
    store: 'sqlite',
    passes: ['LEASE-13', 'FENCE-12:processes', 'FENCE-14', 'CHECKPOINT-13', 'CHECKPOINT-14'],
    patches: [{ file: 'store-sqlite/dist/connection.js', find: "'BEGIN IMMEDIATE'", replace: "'BEGIN'" }],
  },
];
