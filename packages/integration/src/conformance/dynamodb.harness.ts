import {
  DeleteTableCommand,
  DynamoDBClient,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { ConformanceHarness } from '@lousho/conformance';
import type { AgentStore } from '@lousho/core/contract';
import { DynamoDBStore } from '@lousho/store-dynamodb';
import { sharedDynamo } from '@lousho/test-backends';
import { watching } from './watching.js';

/** Replicas that run, and watch, before a rule needs them: one that starts later has seen nothing yet. */
const REPLICAS = 4;

const harness: ConformanceHarness = {
  name: 'dynamodb',
  seams: ['clock', 'clientClock', 'historyLimit'],
  module: import.meta.url,
  createStorage: async ({ clock, historyLimit }) => {
    const { endpoint, region, credentials, freeName } = await sharedDynamo();
    const tableName = freeName();
    const client = new DynamoDBClient({ endpoint, region, credentials });
    const options = {
      tableName,
      createTable: true,
      ...(historyLimit !== undefined && { historyLimit }),
    };
    const clients = new Set<AgentStore>();
    const replica = (own = clock) => watching(new DynamoDBStore(client, { ...options, clock: own }), clients);
    const standby = Array.from({ length: REPLICAS }, () => replica());
    return {
      config: { endpoint, region, credentials, tableName },
      // One with a clock of its own is one that starts now.
      open: async (own) => (own?.clock === undefined && standby.shift()) || replica(own?.clock),
      damage: (sessionId) => scribble(client, tableName, `c#${sessionId}`),
      dispose: async () => {
        await Promise.all([...clients].map((store) => store.close?.()));
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
