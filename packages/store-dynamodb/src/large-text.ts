import { type Item, item, number, text } from './attributes.js';
import type { Call, Key } from './call.js';
import { chunksOf } from './text-chunks.js';

/** Kept in the record itself up to here, so that two of them and the rest stay below an item's 400 KB. */
const LARGEST_INLINE = 40_000;

/** What stands in a record for a text: itself, or the name of the items that hold it. */
export interface TextFields {
  readonly set: Readonly<Record<string, string | number>>;
  readonly remove: readonly string[];
}

/** Writes a text of any size under a name of its own; it counts once a record has the returned fields. */
export async function writeText(
  call: Call,
  { pk }: Key,
  field: string,
  value: string,
  at: number,
): Promise<TextFields> {
  if (value.length <= LARGEST_INLINE) {
    return { set: { [field]: value }, remove: [`${field}Name`, `${field}Chunks`] };
  }
  const name = crypto.randomUUID();
  const chunks = chunksOf(value);
  await call.write(chunks.map((t, chunk) => item({ pk, sk: chunkName(name, chunk), t, at })));
  return { set: { [`${field}Name`]: name, [`${field}Chunks`]: chunks.length }, remove: [field] };
}

/** `null`: the record has no such text; `undefined`: a piece is missing, as when the record was changed since it was read. */
export async function readText(call: Call, record: Item, field: string): Promise<string | null | undefined> {
  const keys = textKeys(record, field);
  if (keys.length === 0) return text(record, field) ?? null;
  const pieces = new Map((await call.getAll(keys)).map((piece) => [text(piece, 'sk'), text(piece, 't')]));
  const parts = keys.map(({ sk }) => pieces.get(sk));
  return parts.includes(undefined) ? undefined : parts.join('');
}

/** The items that hold a record's text. */
export function textKeys(record: Item, field: string): Key[] {
  const [pk, name] = [text(record, 'pk'), text(record, `${field}Name`)];
  if (pk === undefined || name === undefined) return [];
  const count = number(record, `${field}Chunks`) ?? 0;
  return Array.from({ length: count }, (_, chunk) => ({ pk, sk: chunkName(name, chunk) }));
}

function chunkName(name: string, chunk: number): string {
  return `x#${name}#${String(chunk).padStart(5, '0')}`;
}
