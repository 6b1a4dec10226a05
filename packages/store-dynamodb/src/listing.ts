import { compareIds } from '@lousho/core/contract';
import { text } from './attributes.js';
import type { Call } from './call.js';
import { INDEX } from './item-names.js';

/** The parts of the index: unfinished (pending) and finished checkpoints, undecided approvals. */
export type ListedAs = 'p' | 'f' | 'u';

/** The ids in the given parts of the index behind `after`, in code-point order, each once. */
export async function* idsUnder(
  call: Call,
  parts: readonly ListedAs[],
  after: string,
): AsyncGenerator<string, void, undefined> {
  const sources = await Promise.all(parts.map((part) => open(keysUnder(call, part, after))));
  for (let last: string | undefined; ; ) {
    const [next] = sources.filter((source) => !source.isDone).sort((a, b) => compareIds(a.value, b.value));
    if (!next) return;
    // While an entry moves from one part to the other, it may stand in both.
    if (next.value !== last) yield next.value;
    last = next.value;
    await next.advance();
  }
}

/** The sort keys of one part of the index behind `after`. */
export async function* keysUnder(
  call: Call,
  part: ListedAs,
  after = '',
): AsyncGenerator<string, void, undefined> {
  const items = call.query({
    IndexName: INDEX,
    KeyConditionExpression: after === '' ? '#l = :l' : '#l = :l AND #k > :after',
    ExpressionAttributeNames: { '#l': 'l', ...(after !== '' && { '#k': 'k' }) },
    ExpressionAttributeValues: { ':l': { S: part }, ...(after !== '' && { ':after': { S: after } }) },
  });
  for await (const entry of items) yield text(entry, 'k') ?? '';
}

interface Source {
  value: string;
  isDone: boolean;
  advance(): Promise<void>;
}

async function open(keys: AsyncGenerator<string, void, undefined>): Promise<Source> {
  const source: Source = {
    value: '',
    isDone: false,
    advance: async () => {
      const { value, done } = await keys.next();
      source.isDone = done === true;
      source.value = value ?? '';
    },
  };
  await source.advance();
  return source;
}
