import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { ChosenStorage } from './chosen-storage.js';
import { bytesOfTable } from './dynamo-bytes.js';
import { keysOf } from './redis-keys.js';

/** What a storage takes on the disk, in Redis' memory, or on DynamoDB's bill, while it is open; `undefined` where nobody can say. */
export async function storedBytes(storage: ChosenStorage): Promise<number | undefined> {
  switch (storage.store) {
    case 'file':
    case 'sqlite':
      return bytesBelow(storage.folder);
    case 'postgres':
      return bytesOfSchema(storage.url, storage.space);
    case 'redis':
      return bytesOfKeys(storage.url, `${storage.space}:`);
    case 'dynamodb':
      return bytesOfTable(storage.url, storage.space);
    case 'memory':
    case 'kv':
      return undefined;
    default:
      return storage satisfies never;
  }
}

/** With the write-ahead log and whatever else is kept beside the data. */
function bytesBelow(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce((total, file) => total + statSync(join(file.parentPath, file.name)).size, 0);
}

/** Tables with their indexes and what they keep out of line. */
async function bytesOfSchema(url: string, schema: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ bytes: string }>(
    `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind = 'r'`,
    [schema],
  );
  await client.end();
  return Number(rows[0]?.bytes);
}

async function bytesOfKeys(url: string, prefix: string): Promise<number> {
  const client = new Redis(url);
  let total = 0;
  for await (const keys of keysOf(client, prefix)) {
    for (const key of keys) total += (await client.memory('USAGE', key, 'SAMPLES', 0)) ?? 0;
  }
  client.disconnect();
  return total;
}
