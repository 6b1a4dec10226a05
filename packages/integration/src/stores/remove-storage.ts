import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { ChosenStorage } from './chosen-storage.js';
import { dynamoConfig } from './dynamo-config.js';
import { keysOf } from './redis-keys.js';

/** Takes a storage off its server, which may be one that stays. A folder is its owner's to remove. */
export async function removeStorage(storage: ChosenStorage): Promise<void> {
  switch (storage.store) {
    case 'memory':
    case 'file':
    case 'sqlite':
    // The KV server is always one of our own, gone with its data when this process ends.
    case 'kv':
      return;
    case 'postgres': {
      const client = new pg.Client({ connectionString: storage.url });
      await client.connect();
      await client.query(`DROP SCHEMA IF EXISTS ${storage.space} CASCADE`);
      return client.end();
    }
    case 'redis': {
      const client = new Redis(storage.url);
      for await (const keys of keysOf(client, `${storage.space}:`)) await client.unlink(...keys);
      client.disconnect();
      return;
    }
    case 'dynamodb':
      return removeTable(storage.url, storage.space);
    default:
      storage satisfies never;
  }
}

async function removeTable(url: string, TableName: string): Promise<void> {
  const client = new DynamoDBClient(dynamoConfig(url));
  try {
    await client.send(new DeleteTableCommand({ TableName }));
  } catch (error) {
    // A storage that nobody called has no table yet.
    if ((error as Error).name !== 'ResourceNotFoundException') throw error;
  } finally {
    client.destroy();
  }
}
