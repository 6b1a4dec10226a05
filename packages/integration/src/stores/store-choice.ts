import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BundledStore } from '@lousho/core';
import { fileStore } from '@lousho/store-file';
import { memoryStore } from '@lousho/store-memory';
import { SqliteStore } from '@lousho/store-sqlite';

export const STORE_NAMES = ['memory', 'file', 'sqlite'] as const;

export type StoreName = (typeof STORE_NAMES)[number];

export interface StoreSettings {
  /** Passed on to the stores that wait past an expiry. */
  readonly graceMs?: number;
  readonly historyLimit?: number;
}

/** One more client on the storage in `folder`. A memory store is a storage of its own. */
export function openChosenStore(name: StoreName, folder: string, settings: StoreSettings = {}): BundledStore {
  switch (name) {
    case 'memory': {
      const { graceMs: _, ...rest } = settings;
      return memoryStore(rest);
    }
    case 'file':
      return fileStore(join(folder, 'store'), settings);
    case 'sqlite':
      return new SqliteStore(join(folder, 'store.db'), settings);
    default:
      return name satisfies never;
  }
}

export async function withTempFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'lousho-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
