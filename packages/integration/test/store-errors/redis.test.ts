import { checkpoint, ID } from '@lousho/conformance';
import { RedisStore, type RedisStoreOptions } from '@lousho/store-redis';
import { freePort, type RedisServer, startRedis } from '@lousho/test-backends';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Provoked, type StoreFault, testFaults, thrownBy } from './support/store-fault.js';
import { faultsOnPage } from './support/when-it-does-not-start.js';

const SECRET = 'hunter2-and-more';
const OTHER = 'letmein-and-more';

let server: RedisServer;
let admin: Redis;

beforeAll(async () => {
  server = await startRedis({ settings: { requirepass: SECRET } });
  admin = new Redis(server.port, '127.0.0.1', { password: SECRET });
});

afterAll(async () => {
  await admin.quit();
  await server.stop();
});

const FAULTS: readonly StoreFault[] = [
  {
    fault: 'the server is down',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: true,
    provoke: async () => {
      const port = await freePort();
      const url = `redis://app:${SECRET}@localhost:${port}/3`;
      return { ...(await saving(url, { deadlineMs: 300 })), names: [`app@localhost:${port}/3`] };
    },
  },
  {
    fault: 'the server is down',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: true,
    provoke: async () => {
      const client = new Redis({ host: 'redis.invalid', password: SECRET });
      client.on('error', () => {});
      onTestFinished(() => client.disconnect());
      return { ...(await saving(client, { deadlineMs: 300 })), names: ['redis.invalid:6379/0'] };
    },
  },
  {
    fault: 'the password is wrong or missing',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: () => savingOn((place) => `redis://:${OTHER}@${place}`),
  },
  {
    fault: 'the password is wrong or missing',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: () => savingOn((place) => `redis://${place}`),
  },
  {
    fault: 'the password is wrong or missing',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      const cluster = new Cluster([{ host: '127.0.0.1', port: server.port }], {
        redisOptions: { username: 'app', password: OTHER },
        clusterRetryStrategy: () => null,
      });
      cluster.on('error', () => {});
      onTestFinished(() => cluster.disconnect());
      return { ...(await saving(cluster, { deadlineMs: 2_000 })), names: [server.port] };
    },
  },
  {
    fault: 'the database does not exist',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: () => savingOn((place) => `redis://:${SECRET}@${place}/99`, '/99'),
  },
  {
    fault: 'the database does not exist',
    code: 'LOUSHO_STORAGE_FAILED',
    retryable: false,
    provoke: async () => {
      const client = new Redis({ port: server.port, host: '127.0.0.1', password: SECRET, db: 99 });
      client.on('error', () => {});
      onTestFinished(() => client.disconnect());
      await client.ping();
      return { ...(await saving(client)), names: [`127.0.0.1:${server.port}/99`] };
    },
  },
  {
    fault: 'the user lacks a right',
    code: 'LOUSHO_STORAGE_READ_ONLY',
    retryable: false,
    provoke: async () => {
      await admin.acl('SETUSER', 'app', 'on', `>${OTHER}`, '~other:*', '+@all');
      return savingOn((place) => `redis://app:${OTHER}@${place}`);
    },
  },
  {
    fault: 'the user lacks a right',
    code: 'LOUSHO_STORAGE_READ_ONLY',
    retryable: false,
    provoke: async () => {
      await admin.acl('SETUSER', 'reader', 'on', `>${OTHER}`, '~*', '+@read', '+@connection', '+info');
      return savingOn((place) => `redis://reader:${OTHER}@${place}`);
    },
  },
  {
    fault: "a key is another program's",
    code: 'LOUSHO_STORAGE_INCOMPATIBLE',
    retryable: false,
    provoke: async () => {
      await admin.set(`theirs:{${ID}}:head`, 'not ours');
      const url = `redis://:${SECRET}@127.0.0.1:${server.port}`;
      return { ...(await saving(url, { prefix: 'theirs:' })), names: [server.port, 'theirs:'] };
    },
  },
  {
    fault: 'the record is newer',
    code: 'LOUSHO_STORAGE_INCOMPATIBLE',
    retryable: false,
    provoke: async () => {
      const store = opened(`redis://:${SECRET}@127.0.0.1:${server.port}`, { prefix: 'newer:' });
      await store.checkpoints.save(ID, checkpoint({ format: 99 }));
      const thrown = await thrownBy(() => store.checkpoints.load(ID));
      return { thrown, names: [ID, 99], secrets: [SECRET, OTHER] };
    },
  },
];

testFaults('Redis', FAULTS);

it('each fault of Redis that the page lists was seen', () => {
  expect(faultsOnPage('Redis')).toEqual([...new Set(FAULTS.map(({ fault }) => fault))]);
});

function opened(connection: ConstructorParameters<typeof RedisStore>[0], options: RedisStoreOptions = {}) {
  const store = new RedisStore(connection, { logger: { warn: () => {} }, ...options });
  onTestFinished(() => store.close());
  return store;
}

async function saving(
  connection: ConstructorParameters<typeof RedisStore>[0],
  options: RedisStoreOptions = {},
): Promise<Provoked> {
  const store = opened(connection, options);
  const thrown = await thrownBy(() => store.checkpoints.save(ID, checkpoint()));
  return { thrown, names: [], secrets: [SECRET, OTHER] };
}

async function savingOn(urlOf: (place: string) => string, database = ''): Promise<Provoked> {
  const place = `127.0.0.1:${server.port}`;
  return { ...(await saving(urlOf(place))), names: [`${place}${database}`] };
}
