import { checksum } from './late-modules.js';

/** What a line says: small fields, and texts that come back exactly as they were given. */
export interface Entry<F extends object = object> {
  readonly fields: F;
  readonly texts: readonly string[];
}

/** The fields that place a record in its log. */
export interface Placement {
  /** The generation of the file. */
  readonly g: number;
  /** The offset at which the record's line starts. */
  readonly at: number;
  /** The nonce of the valid record before it; `-` for the first. */
  readonly pv: string;
  /** The offset up to which its writer knew the file to be on disk. */
  readonly s: number;
  /** The record's own nonce. */
  readonly n: string;
}

/** The fields of a record before it has its place; its own must not have the names of those. */
export type RecordFields = { readonly k: string } & { readonly [K in keyof Placement]?: never };

const CHECKSUM = 8;
const SPACE = 0x20;
const SEPARATOR = '\t';

/** `checksum fields TAB text TAB text ... LF`: JSON has neither a raw tab nor a raw line feed, so both can delimit it. */
export function encodeLine(
  entry: Entry<RecordFields>,
  placement: Placement,
  startsAfterTornTail: boolean,
): Buffer {
  const parts = [JSON.stringify({ ...entry.fields, ...placement }), ...entry.texts];
  for (const text of entry.texts) assertDelimitable(text);
  const body = Buffer.from(parts.join(SEPARATOR));
  const head = `${startsAfterTornTail ? '\n' : ''}${checksum(body)} `;
  return Buffer.concat([Buffer.from(head), body, Buffer.from('\n')]);
}

/** `null` for bytes whose checksum does not hold. */
export function decodeLine(line: Buffer): Entry<Record<string, unknown>> | null {
  if (line.length <= CHECKSUM + 1 || line[CHECKSUM] !== SPACE) return null;
  const body = line.subarray(CHECKSUM + 1);
  if (line.toString('latin1', 0, CHECKSUM) !== checksum(body)) return null;
  const [json, ...texts] = body.toString('utf8').split(SEPARATOR);
  try {
    return { fields: JSON.parse(json ?? '') as Record<string, unknown>, texts };
  } catch {
    return null;
  }
}

function assertDelimitable(text: string): void {
  if (text.includes('\n') || text.includes(SEPARATOR)) {
    throw new Error('a stored text holds a raw tab or line feed: it was not encoded');
  }
}
