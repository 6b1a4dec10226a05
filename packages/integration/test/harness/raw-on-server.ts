import { DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { connectKv } from '@lousho/test-backends';
import { Redis } from 'ioredis';
import pg from 'pg';
import { dynamoConfig } from '../../src/stores/dynamo-config.js';
import type { ServerStorage } from './server-kinds.js';

/** What a server keeps of the record of an id, its lease left out. */
export function rawOnServer({ store, url, space }: ServerStorage, sessionId: string): Promise<unknown> {
  switch (store) {
    case 'postgres':
      return rowsOf(url, space, sessionId);
    case 'redis':
      return dumpsOf(url, `${space}:{${sessionId}}`);
    case 'dynamodb':
      return itemsOf(url, space, `c#${sessionId}`);
    case 'kv':
      return valuesOf(url, `${space}/checkpoints/${sessionId}`);
    default:
      return store satisfies never;
  }
}

async function rowsOf(connectionString: string, schema: string, sessionId: string): Promise<unknown> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const rows = async (sql: string, value: unknown) => (await client.query(sql, [value])).rows;
  const [checkpoint] = await rows(
    `SELECT session_key, seq, revision, status, message_count, saved_at
     FROM ${schema}.checkpoints WHERE session_id = $1`,
    sessionId,
  );
  const key = checkpoint?.session_key;
  const record = [
    checkpoint,
    await rows(`SELECT * FROM ${schema}.history WHERE session_key = $1 ORDER BY seq`, key),
    await rows(`SELECT * FROM ${schema}.messages WHERE session_key = $1 ORDER BY idx, since`, key),
  ];
  await client.end();
  return record;
}

async function dumpsOf(url: string, run: string): Promise<unknown> {
  const client = new Redis(url);
  const keys = ['head', 'rows', 'kept', 'old'].map((part) => `${run}:${part}`);
  const dumps = await Promise.all(keys.map((key) => client.dumpBuffer(key)));
  client.disconnect();
  return dumps.map((bytes) => bytes?.toString('hex'));
}

async function itemsOf(url: string, TableName: string, pk: string): Promise<unknown> {
  const client = new DynamoDBClient(dynamoConfig(url));
  const query = {
    TableName,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: pk } },
  };
  const found: unknown[] = [];
  for await (const { Items = [] } of paginateQuery({ client }, query)) {
    for (const { owner: _o, beat: _b, ttl: _t, since: _s, epoch: _e, ...kept } of Items) found.push(kept);
  }
  client.destroy();
  return found;
}

async function valuesOf(url: string, checkpoint: string): Promise<unknown> {
  const kv = connectKv(url);
  const { keys } = await kv.list({ prefix: checkpoint });
  const names = keys
    .map(({ name }) => name)
    .filter((name) => name === checkpoint || name[checkpoint.length] === '#');
  return Promise.all(names.map(async (name) => [name, await kv.get(name)]));
}
