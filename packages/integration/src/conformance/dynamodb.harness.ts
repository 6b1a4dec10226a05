import {
  DeleteTableCommand,
  DynamoDBClient,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { ConformanceHarness } from '@lousho/conformance';
import { DynamoDBStore } from '@lousho/store-dynamodb';
import { sharedDynamo } from '@lousho/test-backends';

/** What a loaded machine puts off is no fault of the store. */
const DEADLINE_MS = 60_000;

const harness: ConformanceHarness = {
  name: 'dynamodb',
  seams: ['clock', 'clientClock', 'historyLimit'],
  module: import.meta.url,
  createStorage: async ({ clock, historyLimit }) => {
    const { endpoint, region, credentials, freeName } = await sharedDynamo();
    const tableName = freeName();
    const client = new DynamoDBClient({ endpoint, region, credentials });
    await createTable(client, tableName);
    const options = {
      tableName,
      deadlineMs: DEADLINE_MS,
      ...(historyLimit !== undefined && { historyLimit }),
    };
    return {
      config: { endpoint, region, credentials, tableName },
      open: async (own) => new DynamoDBStore(client, { ...options, clock: own?.clock ?? clock }),
      damage: (sessionId) => scribble(client, tableName, `c#${sessionId}`),
      dispose: async () => {
        await client.send(new DeleteTableCommand({ TableName: tableName })).catch(() => undefined);
        client.destroy();
      },
    };
  },
};

export default harness;

export const openFromConfig = (config: unknown) => {
  const { tableName, ...place } = config as { tableName: string };
  return new DynamoDBStore(place, { tableName, createTable: true });
};

/** Once for all clients, each of which would ask whether it is there. */
async function createTable(client: DynamoDBClient, tableName: string): Promise<void> {
  const store = new DynamoDBStore(client, { tableName, createTable: true });
  await store.checkpoints.load('nobody');
  await store.close();
}

/** Cuts the head of every kept save of an id short. */
async function scribble(client: DynamoDBClient, TableName: string, pk: string): Promise<void> {
  const { Items: items = [] } = await client.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :s)',
      ExpressionAttributeValues: { ':pk': { S: pk }, ':s': { S: 's#' } },
    }),
  );
  for (const { sk = { S: '' } } of items) {
    await client.send(
      new UpdateItemCommand({
        TableName,
        Key: { pk: { S: pk }, sk },
        UpdateExpression: 'SET t = :t',
        ExpressionAttributeValues: { ':t': { S: '{"sessionId' } },
      }),
    );
  }
}
