import { checkpoint, ID } from '@lousho/conformance';
import { type KVNamespace, KVStore, type KVStoreOptions } from '@lousho/store-kv';
import { connectKv, freePort, sharedKv } from '@lousho/test-backends';
import { expect, it } from 'vitest';
import { type StoreFault, testFaults, thrownBy } from './support/store-fault.js';
import { faultsOnPage } from './support/when-it-does-not-start.js';

const SECRET = 'hunter2-and-more';

const FAULTS: readonly StoreFault[] = [
  ...[undefined, SECRET].map(
    (binding): StoreFault => ({
      fault: 'no namespace is bound under that name',
      code: 'LOUSHO_CONFIG_INVALID',
      retryable: false,
      provoke: async () => {
        const thrown = await thrownBy(() => new KVStore(binding as unknown as KVNamespace));
        return { thrown, names: ['kv'], secrets: [SECRET] };
      },
    }),
  ),
  {
    fault: 'the namespace cannot be reached',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: true,
    provoke: async () => {
      const store = await downStore();
      return { thrown: await thrownBy(() => store.checkpoints.load(ID)), names: [`jobs/checkpoints/${ID}`] };
    },
  },
  {
    fault: 'the namespace cannot be reached',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: true,
    provoke: async () => {
      const store = await downStore();
      const thrown = await thrownBy(() => store.checkpoints.save(ID, checkpoint()));
      return { thrown, names: ['KVStore(jobs/)'] };
    },
  },
  {
    fault: "the value is another program's",
    code: 'LOUSHO_CHECKPOINT_CORRUPT',
    retryable: false,
    provoke: async () => {
      const { namespace, prefix, store } = await place();
      await namespace.put(`${prefix}checkpoints/${ID}`, 'not ours');
      return { thrown: await thrownBy(() => store.checkpoints.load(ID)), names: [ID] };
    },
  },
  {
    fault: 'the record is newer',
    code: 'LOUSHO_STORAGE_INCOMPATIBLE',
    retryable: false,
    provoke: async () => {
      const { store } = await place();
      await store.checkpoints.save(ID, checkpoint({ format: 99 }));
      return { thrown: await thrownBy(() => store.checkpoints.load(ID)), names: [ID, 99] };
    },
  },
];

testFaults('Workers KV', FAULTS);

it('each fault of Workers KV that the page lists was seen', () => {
  expect(faultsOnPage('Workers KV')).toEqual([...new Set(FAULTS.map(({ fault }) => fault))]);
});

async function place() {
  const { namespace, freeName } = await sharedKv();
  const prefix = `${freeName()}/`;
  return { namespace, prefix, store: opened(namespace as KVNamespace, { prefix }) };
}

/** A store whose namespace nobody serves. To start a server only to end it takes seconds, on busy cores tens of them. */
async function downStore(): Promise<KVStore> {
  const namespace = connectKv(`http://127.0.0.1:${await freePort()}`);
  return opened(namespace as KVNamespace, { prefix: 'jobs/', deadlineMs: 300 });
}

function opened(kv: KVNamespace, options: KVStoreOptions): KVStore {
  return new KVStore(kv, options);
}
