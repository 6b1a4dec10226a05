/**
 * Postgres arrays in their binary form, which `pg` sends as they are: as text every quote of a JSON document would be escaped, and
 * the server would have to take all of it apart again.
 */
export function textArray(values: readonly (string | null)[]): Buffer {
  return arrayOf(
    TEXT,
    values.map((value) => (value === null ? null : Buffer.from(value))),
  );
}

export function bigintArray(values: readonly (number | null)[]): Buffer {
  return arrayOf(
    INT8,
    values.map((value) => {
      if (value === null) return null;
      const bytes = Buffer.allocUnsafe(8);
      bytes.writeBigInt64BE(BigInt(value));
      return bytes;
    }),
  );
}

const TEXT = 25;
const INT8 = 20;
const DIMENSIONS = 1;
const FIRST_INDEX = 1;
const NULL = -1;

function arrayOf(type: number, elements: readonly (Buffer | null)[]): Buffer {
  const hasNull = elements.includes(null) ? 1 : 0;
  if (elements.length === 0) return ints(0, 0, type);
  return Buffer.concat([
    ints(DIMENSIONS, hasNull, type, elements.length, FIRST_INDEX),
    ...elements.flatMap((element) => (element === null ? [ints(NULL)] : [ints(element.length), element])),
  ]);
}

function ints(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeInt32BE(value, index * 4);
  return bytes;
}
