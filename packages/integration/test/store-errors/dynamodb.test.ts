import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import { checkpoint, ID } from '@lousho/conformance';
import { DynamoDBStore, type DynamoDBStoreOptions } from '@lousho/store-dynamodb';
import { type DynamoRefusal, freePort, sharedDynamo, startRefusingDynamo } from '@lousho/test-backends';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Provoked, type StoreFault, testFaults, thrownBy } from './support/store-fault.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { faultsOnPage } from './support/when-it-does-not-start.js';

const SECRET = 'hunter2-and-more';
const LOGIN = {
  region: 'eu-west-3',
  credentials: { accessKeyId: 'app', secretAccessKey: SECRET },
};

const FAULTS: readonly StoreFault[] = [
  {
    fault: 'the endpoint is down',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: true,
    provoke: async () => {
      const endpoint = `http://localhost:${await freePort()}`;
      const { thrown } = await saving({ ...LOGIN, endpoint }, { tableName: 'runs', deadlineMs: 300 });
      return { thrown, names: ['table runs', endpoint, 'eu-west-3'], secrets: [SECRET] };
    },
  },
  {
    fault: 'no region is named',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      withoutSettings();
      const { credentials } = LOGIN;
      return { ...(await saving({ credentials }, { tableName: 'runs' })), names: ['table runs', 'region'] };
    },
  },
  {
    fault: 'the credentials are missing, wrong or expired',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      withoutSettings();
      const { region } = LOGIN;
      return { ...(await saving({ region }, { tableName: 'runs' })), names: ['table runs', region] };
    },
  },
  ...(['UnrecognizedClientException', 'InvalidSignatureException', 'ExpiredTokenException'] as const).map(
    (refusal): StoreFault => ({
      fault: 'the credentials are missing, wrong or expired',
      code: 'LOUSHO_STORAGE_FAILED',
      retryable: false,
      provoke: () => refusedWith(refusal),
    }),
  ),
  {
    fault: 'the credentials lack a permission',
    code: 'LOUSHO_STORAGE_READ_ONLY',
    retryable: false,
    provoke: () => refusedWith('AccessDeniedException'),
  },
  {
    fault: 'the table is missing',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      const { endpoint, tableName } = await place();
      const { thrown } = await saving({ ...LOGIN, endpoint }, { tableName });
      return { thrown, names: [tableName, endpoint, LOGIN.region], secrets: [SECRET] };
    },
  },
  ...(['save', 'listPending'] as const).map(
    (call): StoreFault => ({
      fault: 'the table has other keys or no index',
      code: 'LOUSHO_STORAGE_INCOMPATIBLE',
      retryable: false,
      provoke: async () => {
        const { endpoint, tableName } = await place();
        await create(endpoint, tableName, call === 'save' ? ['id'] : ['pk', 'sk']);
        const { thrown } = await saving({ ...LOGIN, endpoint }, { tableName }, call);
        return { thrown, names: [tableName, endpoint], secrets: [SECRET] };
      },
    }),
  ),
  {
    fault: 'the record is newer',
    code: 'LOUSHO_STORAGE_INCOMPATIBLE',
    retryable: false,
    provoke: async () => {
      const { endpoint, tableName } = await place();
      const store = opened({ ...LOGIN, endpoint }, { tableName, createTable: true });
      await store.checkpoints.save(ID, checkpoint({ format: 99 }));
      return { thrown: await thrownBy(() => store.checkpoints.load(ID)), names: [ID, 99], secrets: [SECRET] };
    },
  },
];

testFaults('DynamoDB', FAULTS);

it('each fault of DynamoDB that the page lists was seen', () => {
  expect(faultsOnPage('DynamoDB')).toEqual([...new Set(FAULTS.map(({ fault }) => fault))]);
});

function opened(config: DynamoDBClientConfig, options: DynamoDBStoreOptions): DynamoDBStore {
  const store = new DynamoDBStore(config, options);
  onTestFinished(() => store.close());
  return store;
}

async function saving(
  config: DynamoDBClientConfig,
  options: DynamoDBStoreOptions,
  call: 'save' | 'listPending' = 'save',
): Promise<Provoked> {
  const { checkpoints } = opened(config, options);
  const thrown = await thrownBy(() =>
    call === 'save' ? checkpoints.save(ID, checkpoint()) : checkpoints.listPending(),
  );
  return { thrown, names: [options.tableName], secrets: [SECRET] };
}

async function refusedWith(refusal: DynamoRefusal): Promise<Provoked> {
  const { endpoint, stop } = await startRefusingDynamo(refusal);
  onTestFinished(stop);
  const { thrown } = await saving({ ...LOGIN, endpoint }, { tableName: 'runs' });
  return { thrown, names: ['table runs', endpoint, LOGIN.region, refusal], secrets: [SECRET] };
}

async function place() {
  const { endpoint, freeName } = await sharedDynamo();
  return { endpoint, tableName: freeName() };
}

async function create(endpoint: string, TableName: string, keys: readonly string[]): Promise<void> {
  const client = new DynamoDBClient({ ...LOGIN, endpoint });
  const input: CreateTableCommandInput = {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keys.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' })),
  };
  await client.send(new CreateTableCommand(input));
  client.destroy();
}

/** Nothing of this machine's own settings or network is asked. */
function withoutSettings(): void {
  const nothing = `${temporaryFolder()}/nothing`;
  for (const name of Object.keys(process.env).filter((key) => key.startsWith('AWS_')))
    vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_CONFIG_FILE', nothing);
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', nothing);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
}
