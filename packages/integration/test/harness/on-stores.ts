import { beforeAll, describe, onTestFinished } from 'vitest';
import { fileKind, sqliteKind } from './disk-kinds.js';
import { memoryKind } from './memory-kind.js';
import { serverKinds } from './server-kinds.js';
import type { LocalName, Storage, StoreKind } from './store-kind.js';

/** Gives a test its own storage, which ends with the test. */
export type NewStorage = () => Storage;

/** Runs the tests on every store that has all parts. */
export function onFullStores(tests: (newStorage: NewStorage, kind: StoreKind['name']) => void): void {
  for (const kind of FULL) {
    describe(kind.name, () => {
      if (kind.prepare) beforeAll(kind.prepare);
      tests(() => ofTest(kind), kind.name);
    });
  }
}

/** A storage for a test of what no store has a part in, or one only. */
export function newStorageOf(kind: LocalName): Storage {
  return ofTest({ memory: memoryKind, file: fileKind, sqlite: sqliteKind }[kind]);
}

function ofTest(kind: StoreKind): Storage {
  const storage = kind.storage();
  onTestFinished(() => storage.end());
  return storage;
}

const FULL = [memoryKind, fileKind, sqliteKind, ...serverKinds].filter(isAskedFor);

/** `BACKENDS=memory,file` asks for a part of the stores. */
function isAskedFor({ name }: StoreKind): boolean {
  const asked = process.env.BACKENDS;
  return asked === undefined || asked.split(',').includes(name);
}
