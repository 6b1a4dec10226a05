import { CreateTableCommand, DescribeTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import type { Call } from './call.js';
import { INDEX } from './item-names.js';

/** The attribute that the table's TTL looks at: seconds since the epoch. */
const TTL_ATTRIBUTE = 'x';
const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 1_000;
const LONGEST_CREATION_MS = 120_000;

/** Creates the table where it is missing, and returns once it can be used. Safe for any number of processes at once. */
export async function ensureTable(call: Call, { hasTtl }: { hasTtl: boolean }): Promise<void> {
  let status = await statusOf(call);
  if (status === undefined) {
    await create(call);
    status = await statusOf(call);
  }
  const giveUpAt = performance.now() + LONGEST_CREATION_MS;
  for (let pollMs = FIRST_POLL_MS; status !== 'ACTIVE'; pollMs = Math.min(LONGEST_POLL_MS, pollMs * 2)) {
    if (performance.now() > giveUpAt) throw call.busy(`the table is ${status ?? 'missing'}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    status = await statusOf(call);
  }
  if (hasTtl) await enableTtl(call);
}

async function statusOf(call: Call): Promise<string | undefined> {
  const input = { TableName: call.tableName };
  try {
    const { Table: table } = await call.send((options) =>
      call.client.send(new DescribeTableCommand(input), options),
    );
    const indexes = table?.GlobalSecondaryIndexes ?? [];
    const isReady = indexes.every(({ IndexStatus: status }) => status === undefined || status === 'ACTIVE');
    return isReady ? table?.TableStatus : 'UPDATING';
  } catch (error) {
    if (nameOf(error) === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

async function create(call: Call): Promise<void> {
  const input: ConstructorParameters<typeof CreateTableCommand>[0] = {
    TableName: call.tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk', 'l', 'k'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S',
    })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: INDEX,
        KeySchema: [
          { AttributeName: 'l', KeyType: 'HASH' },
          { AttributeName: 'k', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  };
  try {
    await call.send((options) => call.client.send(new CreateTableCommand(input), options));
  } catch (error) {
    // Another process was faster.
    if (nameOf(error) !== 'ResourceInUseException') throw error;
  }
}

async function enableTtl(call: Call): Promise<void> {
  const TimeToLiveSpecification = { AttributeName: TTL_ATTRIBUTE, Enabled: true };
  const input = { TableName: call.tableName, TimeToLiveSpecification };
  try {
    await call.send((options) => call.client.send(new UpdateTimeToLiveCommand(input), options));
  } catch (error) {
    // It is enabled already, or this is an imitation of the service that has no TTL: then nothing is ever removed by it.
    if (!['ValidationException', 'UnknownOperationException'].includes(nameOf(error))) throw error;
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
