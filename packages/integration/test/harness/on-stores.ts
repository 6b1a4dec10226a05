import { describe, onTestFinished } from 'vitest';
import { fileKind, sqliteKind } from './disk-kinds.js';
import { memoryKind } from './memory-kind.js';
import type { FullStore, StorageOf, StoreKind } from './store-kind.js';

/** Gives a test its own storage, which ends with the test. */
export type NewStorage<Store> = () => StorageOf<Store>;

/** Runs the tests on every store that has all parts. */
export function onFullStores(tests: (newStorage: NewStorage<FullStore>, kind: string) => void): void {
  for (const kind of FULL) {
    describe(kind.name, () => {
      tests(() => {
        const storage = kind.storage();
        onTestFinished(() => storage.end());
        return storage;
      }, kind.name);
    });
  }
}

const FULL: readonly StoreKind<FullStore>[] = [memoryKind, fileKind, sqliteKind].filter(isAskedFor);

/** `BACKENDS=memory,file` asks for a part of the stores. */
function isAskedFor({ name }: { readonly name: string }): boolean {
  const asked = process.env.BACKENDS;
  return asked === undefined || asked.split(',').includes(name);
}
