import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import {
  connectKv,
  type Server,
  startDynamo,
  startKv,
  startPgbouncer,
  startPostgres,
  startRedis,
  startSentinel,
} from '@lousho/test-backends';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askPostgres } from './support/ask-postgres.js';
import { askRedis } from './support/ask-redis.js';

/** Servers watch each other at their own pace. */
const PATIENT = { timeout: 25_000 };

function stopped<T extends Server>(server: T): T {
  onTestFinished(() => server.stop());
  return server;
}

async function isListening({ host, port }: Server): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

describe('startPostgres', () => {
  it('keeps what was committed through a kill and a restart, and leaves nothing after a stop', async () => {
    const server = await startPostgres();
    await askPostgres(server.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await server.kill();
    expect(server.isRunning()).toBe(false);
    expect(await isListening(server)).toBe(false);
    await server.restart();
    expect(await askPostgres(server.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    await server.restart();
    const [row] = await askPostgres(
      server.url,
      `SELECT answer, current_setting('data_directory') AS dir FROM kept`,
    );
    expect(row).toMatchObject({ answer: 42 });
    expect(existsSync(String(row?.dir))).toBe(true);
    await Promise.all([server.stop(), server.stop()]);
    expect(existsSync(String(row?.dir))).toBe(false);
    expect(await isListening(server)).toBe(false);
    await expect(server.restart()).rejects.toThrow('was stopped');
  });

  it('has the settings that it was given, refuses a wrong password, and serves a pooler', async () => {
    const settings = { default_transaction_isolation: 'serializable' };
    const server = stopped(await startPostgres({ fsync: false, settings }));
    const ask = `SELECT current_setting('fsync') AS fsync, current_setting('default_transaction_isolation') AS level`;
    expect(await askPostgres(server.url, ask)).toEqual([{ fsync: 'off', level: 'serializable' }]);
    const wrong = server.url.replace(server.password, 'wrong');
    await expect(askPostgres(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    const pooler = stopped(await startPgbouncer(server, { poolMode: 'transaction', poolSize: 2 }));
    const pids = await Promise.all(
      Array.from({ length: 8 }, () =>
        askPostgres(pooler.url, 'SELECT pg_backend_pid() AS pid, pg_sleep(0.02)'),
      ),
    );
    expect(new Set(pids.map(([row]) => row?.pid)).size).toBeLessThanOrEqual(2);
  });
});

describe('startRedis', () => {
  it('keeps what an append-only server acknowledged through a kill', async () => {
    const server = stopped(await startRedis({ appendfsync: 'always' }));
    expect(await askRedis(server, 'SET kept 42')).toBe('+OK');
    await server.kill();
    expect(await isListening(server)).toBe(false);
    await server.restart();
    expect(await askRedis(server, 'GET kept')).toBe('$2\r\n42');
  });

  it('has the memory limit and policy that it was given', async () => {
    const server = stopped(
      await startRedis({ maxmemory: '8mb', maxmemoryPolicy: 'allkeys-lru', appendonly: false }),
    );
    expect(await askRedis(server, 'CONFIG GET maxmemory-policy')).toContain('allkeys-lru');
    expect(await askRedis(server, 'CONFIG GET maxmemory')).toContain('8388608');
    expect(await askRedis(server, 'CONFIG GET appendonly')).toContain('no');
  });

  it('as a cluster has three primaries that share the slots', async () => {
    const server = stopped(await startRedis({ cluster: true }));
    expect(server.nodes).toHaveLength(3);
    const answers = await Promise.all(server.nodes.map((node) => askRedis(node, 'SET a 1')));
    expect(answers.filter((answer) => answer === '+OK')).toHaveLength(1);
    expect(answers.filter((answer) => answer.startsWith('-MOVED'))).toHaveLength(2);
  });
});

describe('startSentinel', () => {
  it('names the primary, and the replica in its place once it is gone', async () => {
    const [primary, replica] = [stopped(await startRedis()), stopped(await startRedis())];
    await askRedis(replica, `REPLICAOF 127.0.0.1 ${primary.port}`);
    await expect.poll(() => askRedis(primary, 'INFO replication'), PATIENT).toContain('state=online');
    const sentinel = stopped(await startSentinel(primary));
    const named = () => askRedis(sentinel, `SENTINEL get-master-addr-by-name ${sentinel.name}`);
    expect(await named()).toContain(`${primary.port}`);
    await expect
      .poll(() => askRedis(sentinel, `SENTINEL replicas ${sentinel.name}`), PATIENT)
      .toContain('slave');
    await primary.kill();
    await expect.poll(named, PATIENT).toContain(`${replica.port}`);
  });
});

describe('startDynamo', () => {
  it('has a table at once, and still after a kill', async () => {
    const server = stopped(await startDynamo());
    const ask = async (operation: string, body: object) => {
      const headers = {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${operation}`,
        authorization:
          'AWS4-HMAC-SHA256 Credential=a/20300101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=a',
        'x-amz-date': '20300101T000000Z',
      };
      const response = await fetch(server.endpoint, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as { Table?: { TableStatus?: string } };
    };
    await ask('CreateTable', {
      TableName: 'runs',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    });
    const status = async () => (await ask('DescribeTable', { TableName: 'runs' })).Table?.TableStatus;
    await expect.poll(status).toBe('ACTIVE');
    await server.kill();
    await server.restart();
    expect(await status()).toBe('ACTIVE');
  });
});

describe('startKv', () => {
  it('has the binding’s methods, also from elsewhere, and keeps its values through a kill', async () => {
    const server = stopped(await startKv());
    const { namespace } = server;
    await namespace.put('a', 'first\u0000é', { metadata: { n: 1 } });
    await namespace.put('b', new Uint8Array([0, 255]));
    await server.kill();
    await server.restart();
    const elsewhere = connectKv(server.url);
    expect(await elsewhere.getWithMetadata('a')).toEqual({ value: 'first\u0000é', metadata: { n: 1 } });
    expect(new Uint8Array((await namespace.get('b', 'arrayBuffer')) as ArrayBuffer)).toEqual(
      new Uint8Array([0, 255]),
    );
    expect(await namespace.list({ limit: 1 })).toMatchObject({ keys: [{ name: 'a' }], list_complete: false });
    await namespace.delete('a');
    expect(await elsewhere.get('a')).toBeNull();
  });

  it('refuses what the binding refuses, with its words', async () => {
    const { namespace } = stopped(await startKv());
    await expect(namespace.put('a', 'x', { expirationTtl: 5 })).rejects.toThrow('must be at least 60');
  });
});
