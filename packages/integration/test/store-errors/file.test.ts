import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkpoint, ID } from '@lousho/conformance';
import { fileStore } from '@lousho/store-file';
import { expect, it, onTestFinished } from 'vitest';
import { asNobody } from './support/as-nobody.js';
import { type Provoked, type StoreFault, testFaults, thrownBy } from './support/store-fault.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { faultsOnPage } from './support/when-it-does-not-start.js';

const FAULTS: readonly StoreFault[] = [
  {
    fault: 'the directory may not be read or written',
    code: 'LOUSHO_STORAGE_READ_ONLY',
    retryable: false,
    provoke: async () => asNobody(() => saving(join(temporaryFolder(0o555), 'runs'))),
  },
  {
    fault: 'the directory may not be read or written',
    code: 'LOUSHO_STORAGE_READ_ONLY',
    retryable: false,
    provoke: async () => {
      const dir = await stored();
      chmodSync(join(dir, 'checkpoints'), 0o000);
      onTestFinished(() => chmodSync(join(dir, 'checkpoints'), 0o700));
      return asNobody(() => loading(dir));
    },
  },
  ...[saving, loading].map(
    (call): StoreFault => ({
      fault: 'the path is a file, or leads through one',
      code: 'LOUSHO_CONFIG_INVALID',
      retryable: false,
      provoke: async () => {
        const file = join(temporaryFolder(), 'notes.txt');
        writeFileSync(file, 'mine');
        return call(file);
      },
    }),
  ),
  ...[saving, loading].map(
    (call): StoreFault => ({
      fault: 'the path is a file, or leads through one',
      code: 'LOUSHO_CONFIG_INVALID',
      retryable: false,
      provoke: async () => {
        const file = join(temporaryFolder(), 'notes.txt');
        writeFileSync(file, 'mine');
        return call(join(file, 'runs'));
      },
    }),
  ),
  ...[saving, loading].map(
    (call): StoreFault => ({
      fault: "another program's file is in the way",
      code: 'LOUSHO_STORAGE_INCOMPATIBLE',
      retryable: false,
      provoke: async () => {
        const dir = temporaryFolder();
        writeFileSync(join(dir, 'checkpoints'), 'mine');
        return call(dir);
      },
    }),
  ),
  {
    fault: 'the record is newer',
    code: 'LOUSHO_STORAGE_INCOMPATIBLE',
    retryable: false,
    provoke: async () => {
      const dir = await stored({ format: 99 });
      return { ...(await loading(dir)), names: [ID, 99] };
    },
  },
];

testFaults('files', FAULTS);

it('each fault of files that the page lists was seen', () => {
  expect(faultsOnPage('files')).toEqual([...new Set(FAULTS.map(({ fault }) => fault))]);
});

async function stored(fields: { readonly format?: number } = {}): Promise<string> {
  const dir = temporaryFolder();
  const store = fileStore(dir);
  await store.checkpoints.save(ID, checkpoint(fields));
  await store.close();
  return dir;
}

async function saving(dir: string): Promise<Provoked> {
  const store = fileStore(dir);
  const thrown = await thrownBy(() => store.checkpoints.save(ID, checkpoint()));
  await store.close();
  return { thrown, names: [dir] };
}

async function loading(dir: string): Promise<Provoked> {
  const store = fileStore(dir);
  const thrown = await thrownBy(() => store.checkpoints.load(ID));
  await store.close();
  return { thrown, names: [dir] };
}
