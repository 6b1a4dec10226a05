import { compareIds } from '@lousho/core/contract';
import { type Item, text } from './attributes.js';
import type { Call } from './call.js';
import { HEAD } from './item-names.js';

/** The ids of one kind of records, in code-point order, from one pass over the table. */
export async function scannedIds(
  call: Call,
  kind: 'c#' | 'a#' | 't#',
  isThere: (record: Item) => boolean,
): Promise<string[]> {
  const ids: string[] = [];
  const filter = {
    ConsistentRead: true,
    FilterExpression: '#sk = :head AND begins_with(#pk, :kind)',
    ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
    ExpressionAttributeValues: { ':head': { S: HEAD }, ':kind': { S: kind } },
  };
  for await (const record of call.scan(filter)) {
    const pk = text(record, 'pk') ?? '';
    if (isThere(record)) ids.push(pk.slice(kind.length));
  }
  return ids.sort(compareIds);
}
