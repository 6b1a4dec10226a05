import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BundledStore } from '@lousho/core';
import { fileStore } from '@lousho/store-file';
import { memoryStore } from '@lousho/store-memory';
import { SqliteStore } from '@lousho/store-sqlite';
import { describe, onTestFinished } from 'vitest';
import type { FullStore } from '../../harness/store-kind.js';

export type { FullStore };

export type KindName = 'memory' | 'file' | 'sqlite';

/** A storage of a test, and the clients on it. */
export interface Storage {
  readonly kind: KindName;
  readonly folder: string;
  /** A client, as a process of its own has one; memory has only the one. */
  open(options?: { readonly historyLimit?: number }): FullStore;
}

const MAKE: Readonly<Record<KindName, (folder: string, options: { historyLimit?: number }) => BundledStore>> =
  {
    memory: (_, options) => memoryStore(options),
    file: (folder, options) => fileStore(folder, options),
    sqlite: (folder, options) => new SqliteStore(join(folder, 'runs.db'), options),
  };

/** An empty storage that goes with the test. */
export function newStorageOf(kind: KindName): Storage {
  const folder = mkdtempSync(join(tmpdir(), `lousho-${kind}-`));
  const clients: FullStore[] = [];
  onTestFinished(async () => {
    await Promise.all(clients.map((client) => client.close()));
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    kind,
    folder,
    open: (options = {}) => {
      const shared = kind === 'memory' ? clients[0] : undefined;
      if (shared) return shared;
      const client = MAKE[kind](folder, options) as FullStore;
      clients.push(client);
      return client;
    },
  };
}

/** Runs the sentences on every store that has all parts. `BACKENDS=memory,file` asks for a part of them. */
export function onFullStores(tests: (newStorage: () => Storage) => void): void {
  const asked = process.env.BACKENDS?.split(',');
  for (const kind of ['memory', 'file', 'sqlite'] as const) {
    if (asked && !asked.includes(kind)) continue;
    describe(kind, () => tests(() => newStorageOf(kind)));
  }
}

/** Overwrites a few bytes in the middle of each log of an id, as a broken disk would. */
export function damageLogs({ folder }: Storage, sessionId: string): void {
  const logs = join(folder, 'checkpoints', sessionId);
  for (const name of readdirSync(logs).filter((file) => file.endsWith('.log'))) {
    const bytes = readFileSync(join(logs, name));
    const middle = Math.floor(bytes.length / 2);
    bytes.fill('?', middle, middle + 8);
    writeFileSync(join(logs, name), bytes);
  }
}
