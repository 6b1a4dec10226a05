/**
 * Whether a reader could tell two values apart, the order of keys left aside: `-0`, `__proto__` keys and the type of bytes count,
 * an `undefined` property is no property. Without recursion: a store must bring back values that are nested deeper than the stack.
 */
export function same(left: unknown, right: unknown): boolean {
  const open: [unknown, unknown][] = [[left, right]];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [a, b] = pair;
    if (Object.is(a, b)) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (a instanceof Uint8Array || b instanceof Uint8Array) {
      if (!sameBytes(a, b)) return false;
      continue;
    }
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const [mine, theirs] = [fieldsOf(a), fieldsOf(b)];
    if (mine.size !== theirs.size) return false;
    if (Array.isArray(a) && a.length !== (b as unknown[]).length) return false;
    for (const [key, value] of mine) {
      if (!theirs.has(key)) return false;
      open.push([value, theirs.get(key)]);
    }
  }
  return true;
}

function fieldsOf(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, entry]) => entry !== undefined));
}

function sameBytes(a: object, b: object): boolean {
  return (
    a instanceof Uint8Array &&
    b instanceof Uint8Array &&
    a.length === b.length &&
    a.every((byte, index) => byte === b[index])
  );
}
