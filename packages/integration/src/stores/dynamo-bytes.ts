import { type AttributeValue, DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { dynamoConfig } from './dynamo-config.js';

/** The size of all items of a table as DynamoDB bills it, with the 100 bytes for the index of each. */
export async function bytesOfTable(url: string, TableName: string): Promise<number> {
  const client = new DynamoDBClient(dynamoConfig(url));
  let total = 0;
  try {
    for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
      for (const item of Items) total += bytesOfItem(item);
    }
    return total;
  } catch (error) {
    // A storage that nobody called has no table yet.
    if ((error as Error).name === 'ResourceNotFoundException') return 0;
    throw error;
  } finally {
    client.destroy();
  }
}

const INDEX_BYTES = 100;

function bytesOfItem(item: Readonly<Record<string, AttributeValue>>): number {
  return Object.entries(item).reduce(
    (total, [name, value]) => total + Buffer.byteLength(name) + bytesOf(name, value),
    INDEX_BYTES,
  );
}

/** The store writes texts and numbers. */
function bytesOf(name: string, { S: text, N: digits }: AttributeValue): number {
  if (text !== undefined) return Buffer.byteLength(text);
  // Two digits a byte, and one more.
  if (digits !== undefined) return Math.ceil(digits.length / 2) + 1;
  throw new Error(`Expected a text or a number in the attribute ${name}`);
}
