import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BundledStore } from '@lousho/core';
import { fileStore } from '@lousho/store-file';
import { memoryStore } from '@lousho/store-memory';
import { SqliteStore } from '@lousho/store-sqlite';

/** The stores that a command can be told to use. */
export const STORE_NAMES = ['memory', 'file', 'sqlite'] as const;

export type StoreName = (typeof STORE_NAMES)[number];

export interface ChosenStoreOptions {
  readonly historyLimit?: number;
  /** Milliseconds past a lease's expiry before a take-over; the memory store needs none. */
  readonly graceMs?: number;
}

/** A client of the storage in `folder`; every call makes a new one. A memory store is a storage of its own. */
export function openChosenStore(
  name: StoreName,
  folder: string,
  options: ChosenStoreOptions = {},
): BundledStore {
  const { historyLimit } = options;
  switch (name) {
    case 'memory':
      return memoryStore({ ...(historyLimit !== undefined && { historyLimit }) });
    case 'file':
      return fileStore(folder, options);
    case 'sqlite':
      return new SqliteStore(join(folder, 'runs.db'), options);
    default:
      return name satisfies never;
  }
}

export function isStoreName(name: string): name is StoreName {
  return STORE_NAMES.some((known) => known === name);
}

/** Works in an empty folder that is gone afterwards. */
export async function withTempFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'lousho-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
