import { SDKError } from '@lousho/core/contract';
import { DynamoDBStore, type DynamoDBStoreOptions } from '@lousho/store-dynamodb';
import { freePort, startDynamo, tcpProxy } from '@lousho/test-backends';
import { describe, expect, it } from 'vitest';
import { ENDPOINT, freeTable, serviceError } from './support/faulty-client.js';
import { checkpoint, open, user } from './support/fixtures.js';

const ID = 'refund-42';

describe('errors', () => {
  it.each([
    [{ tableName: '' }, 'tableName'],
    [{ tableName: 'a/b' }, 'tableName'],
    [{ tableName: 'runs', historyLimit: 1_001 }, 'historyLimit'],
    [{ tableName: 'runs', retentionSeconds: 0 }, 'retentionSeconds'],
    [{ tableName: 'runs', deadlineMs: -1 }, 'deadlineMs'],
    [{ tableName: 'runs', createTable: 'yes' }, 'createTable'],
    [{ tableName: 'runs', tabelName: 'x' }, 'tabelName'],
    [undefined, 'options'],
  ])('the options %j are refused', (options, field) => {
    expect(() => new DynamoDBStore({ region: 'eu-west-1' }, options as DynamoDBStoreOptions)).toThrow(
      SDKError,
    );
    expect(() => new DynamoDBStore({ region: 'eu-west-1' }, options as DynamoDBStoreOptions)).toThrow(field);
  });

  it('a missing table is named, with what to do', async () => {
    const { checkpoints } = open({ createTable: false });
    await expect(checkpoints.load(ID)).rejects.toMatchObject({
      code: 'LOUSHO_STORAGE_FAILED',
      retryable: false,
      hint: expect.stringContaining('createTable'),
    });
  });

  it.each([
    ['UnrecognizedClientException', 'LOUSHO_STORAGE_FAILED', false],
    ['CredentialsProviderError', 'LOUSHO_STORAGE_FAILED', false],
    ['ExpiredTokenException', 'LOUSHO_STORAGE_FAILED', false],
    ['AccessDeniedException', 'LOUSHO_STORAGE_READ_ONLY', false],
    ['ValidationException', 'LOUSHO_STORAGE_INCOMPATIBLE', false],
  ])('%s is %s', async (name, code, retryable) => {
    const { checkpoints, faults } = open({ createTable: false });
    faults.fault = async () => {
      throw Object.assign(serviceError(name), { message: 'Value card 4111-1111 at x' });
    };
    const secret = checkpoint({ messages: [user('card 4111-1111')] });
    const error = (await checkpoints.save(ID, secret).catch((thrown: unknown) => thrown)) as SDKError;
    expect(error).toMatchObject({ code, retryable });
    expect(error.message).not.toContain('4111');
  });

  it('an endpoint that nobody answers at is an error within the deadline', async () => {
    const port = await freePort();
    const config = {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    };
    const store = new DynamoDBStore(config, { tableName: freeTable(), deadlineMs: 500 });
    const startedAt = performance.now();
    for (const call of [() => store.checkpoints.load(ID), () => store.checkpoints.save(ID, checkpoint())]) {
      await expect(call()).rejects.toMatchObject({ code: 'LOUSHO_STORAGE_FAILED', retryable: true });
    }
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    await store.close();
  });

  it('on a connection on which nothing passes any more every call settles within its deadline', async () => {
    const { hostname, port } = new URL(ENDPOINT.endpoint);
    const proxy = await tcpProxy({ host: hostname, port: Number(port) });
    const { region, credentials } = ENDPOINT;
    const config = { endpoint: proxy.through(ENDPOINT.endpoint), region, credentials };
    const store = new DynamoDBStore(config, { tableName: freeTable(), createTable: true, deadlineMs: 800 });
    await store.checkpoints.acquireLease(ID, 'worker-a', 60_000);
    await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 1 }), 'worker-a');
    proxy.halfOpen();
    const startedAt = performance.now();
    const settled = await Promise.allSettled([
      store.checkpoints.load(ID),
      store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-a'),
      store.checkpoints.renewLease(ID, 'worker-a', 60_000),
    ]);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(settled.map((one) => (one as PromiseRejectedResult).reason?.code)).toEqual([
      'LOUSHO_STORAGE_FAILED',
      'LOUSHO_STORAGE_FAILED',
      'LOUSHO_STORE_OUTCOME_UNKNOWN',
    ]);
    proxy.heal();
    expect(await store.checkpoints.saveIfLeased(ID, checkpoint({ revision: 2 }), 'worker-a')).toBe(true);
    expect(await store.checkpoints.history(ID)).toHaveLength(2);
    await store.close();
    await proxy.close();
  });

  it('a server that is killed and comes back has lost nothing that was acknowledged', async () => {
    const server = await startDynamo();
    const { endpoint, region, credentials } = server;
    const store = new DynamoDBStore(
      { endpoint, region, credentials },
      { tableName: 'runs', createTable: true },
    );
    await store.checkpoints.acquireLease(ID, 'worker-a', 60_000);
    let acknowledged = 0;
    for (let cycle = 0; cycle < 3; cycle++) {
      const saving = (async () => {
        for (let save = 0; save < 20; save++) {
          const revision = acknowledged + 1;
          const messages = Array.from({ length: revision }, (_, index) => user(`message ${index}`));
          const next = checkpoint({ revision, messages });
          if (
            await store.checkpoints.saveIfLeased(ID, next, 'worker-a', { unchangedMessages: revision - 1 })
          ) {
            acknowledged = revision;
          }
        }
      })();
      await server.kill();
      await server.restart();
      await saving;
    }
    expect(acknowledged).toBe(60);
    const revisions = (await store.checkpoints.history(ID)).map((entry) => entry.checkpoint.revision);
    expect(revisions).toEqual(Array.from({ length: 50 }, (_, index) => 60 - index));
    expect((await store.checkpoints.load(ID))?.messages).toHaveLength(60);
    await store.close();
    await server.stop();
  });

  it('a client that was given is left to its owner', async () => {
    const { store, faults, tableName } = open();
    await store.checkpoints.save(ID, checkpoint());
    await store.close();
    const again = new DynamoDBStore(faults.client, { tableName });
    expect(await again.checkpoints.load(ID)).toEqual(checkpoint());
  });
});
