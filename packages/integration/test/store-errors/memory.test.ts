import { checkpoint, ID } from '@lousho/conformance';
import { LocalStorageCheckpointStore, memoryStore, type WebStorage } from '@lousho/store-memory';
import { expect, it } from 'vitest';
import { type StoreFault, testFaults, thrownBy } from './support/store-fault.js';
import { faultsOnPage } from './support/when-it-does-not-start.js';

const FAULTS: readonly StoreFault[] = [
  {
    fault: 'there is no Web Storage here',
    code: 'LOUSHO_CONFIG_INVALID',
    retryable: false,
    provoke: async () => {
      const none = undefined as unknown as WebStorage;
      return { thrown: await thrownBy(() => new LocalStorageCheckpointStore(none)), names: ['storage'] };
    },
  },
  {
    fault: 'the browser refuses Web Storage',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      const store = new LocalStorageCheckpointStore(refusing(), { prefix: 'jobs/' });
      return {
        thrown: await thrownBy(() => store.save(ID, checkpoint())),
        names: ['LocalStorageCheckpointStore(jobs/)'],
      };
    },
  },
  {
    fault: 'the record is newer',
    code: 'LOUSHO_STORAGE_INCOMPATIBLE',
    retryable: false,
    provoke: async () => {
      const { checkpoints } = memoryStore();
      await checkpoints.save(ID, checkpoint({ format: 99 }));
      return { thrown: await thrownBy(() => checkpoints.load(ID)), names: [ID, 99] };
    },
  },
];

testFaults('memory and Web Storage', FAULTS);

it('each fault of memory and Web Storage that the page lists was seen', () => {
  expect(faultsOnPage('memory and Web Storage')).toEqual([...new Set(FAULTS.map(({ fault }) => fault))]);
});

/** As a browser's storage is where the user has forbidden it: each access throws. */
function refusing(): WebStorage {
  const refuse = (): never => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  return { length: 0, key: refuse, getItem: refuse, setItem: refuse, removeItem: refuse };
}
