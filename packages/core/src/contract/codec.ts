import { fromBase64, toBase64 } from './base64.js';
import { SDKError } from './errors.js';
import { isPlainObject } from './plain-object.js';

/** Deeper values are refused instead of overflowing the stack of a smaller runtime. */
const MAX_DEPTH = 2_000;
const BYTES_KEY = '$bytes';
/** An object whose only key looks like the bytes mark gets one more `$`, so that user data is never taken for bytes. */
const MARK = /^\$+bytes$/;
const PLAIN = /^[\w .:-]*$/;

/**
 * The stored text of a value: JSON plus `Uint8Array` as `{"$bytes": base64}`. Key order and every character are kept; `undefined`
 * properties are left out. Anything else (BigInt, Map, Date, NaN, cycles, functions, `undefined` in arrays, class instances) is
 * refused with `LOUSHO_VALUE_INVALID` and the path of the offending value. The value is read once, so a getter cannot change it
 * between check and write.
 */
export function encode(value: unknown, root = 'value'): string {
  return new Encoder(root).write(value);
}

/** The value behind a stored text. Throws `SyntaxError` on text that `encode` did not write. */
export function decode(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  return text.includes('bytes":') ? revive(parsed) : parsed;
}

class Encoder {
  /** The key at each depth; those behind the present depth are of what was written before. */
  readonly #path: (string | number)[] = [];
  readonly #ancestors = new Set<object>();
  #depth = 0;

  constructor(readonly root: string) {}

  write(value: unknown): string {
    switch (typeof value) {
      case 'string':
        return quoted(value);
      case 'boolean':
        return value ? 'true' : 'false';
      case 'number':
        if (!Number.isFinite(value)) throw this.#refuse(String(value));
        return Object.is(value, -0) ? '-0' : String(value);
      case 'object':
        return value === null ? 'null' : this.#writeObject(value);
      default:
        throw this.#refuse(typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`);
    }
  }

  #writeObject(value: object): string {
    if (value instanceof Uint8Array) return `{"${BYTES_KEY}":"${toBase64(value)}"}`;
    const depth = this.#depth;
    if (this.#ancestors.has(value)) throw this.#refuse('a cycle');
    if (depth >= MAX_DEPTH) throw this.#refuse(`nesting deeper than ${MAX_DEPTH}`);
    const isList = Array.isArray(value);
    if (!isList && !isPlainObject(value))
      throw this.#refuse(`a ${value.constructor?.name ?? 'class instance'}`);
    this.#ancestors.add(value);
    this.#depth = depth + 1;
    const text = isList ? this.#writeArray(value, depth) : this.#writeRecord(value, depth);
    this.#depth = depth;
    this.#ancestors.delete(value);
    return text;
  }

  #writeArray(value: readonly unknown[], depth: number): string {
    let text = '';
    for (let index = 0; index < value.length; index++) {
      this.#path[depth] = index;
      const entry = this.write(value[index]);
      text += index === 0 ? entry : `,${entry}`;
    }
    return `[${text}]`;
  }

  #writeRecord(value: object, depth: number): string {
    let text = '';
    let count = 0;
    let last = '';
    for (const key of Object.keys(value)) {
      this.#path[depth] = key;
      const entry = this.#read(value as Record<string, unknown>, key);
      if (entry === undefined) continue;
      text += `${count === 0 ? '' : ','}${named(key)}${this.write(entry)}`;
      count += 1;
      last = key;
    }
    return count === 1 && MARK.test(last) ? `{"$${text.slice(1)}}` : `{${text}}`;
  }

  #read(value: Record<string, unknown>, key: string): unknown {
    try {
      return value[key];
    } catch (cause) {
      throw this.#refuse('a getter that throws', cause);
    }
  }

  #refuse(what: string, cause?: unknown): SDKError {
    const path = this.#path
      .slice(0, this.#depth)
      .map((key) =>
        typeof key === 'number'
          ? `[${key}]`
          : /^[A-Za-z_$][\w$]*$/.test(key)
            ? `.${key}`
            : `[${JSON.stringify(key)}]`,
      );
    return new SDKError(
      'LOUSHO_VALUE_INVALID',
      `Expected \`${this.root}${path.join('')}\` to be JSON or Uint8Array, got ${what}`,
      { cause },
    );
  }
}

/** The same keys come again with every record: what they look like in front of a value, for so many of them. */
const names = new Map<string, string>();
const MAX_NAMES = 1_000;
const LONGEST_NAME = 32;

function named(key: string): string {
  const known = names.get(key);
  if (known !== undefined) return known;
  const name = `${quoted(key)}:`;
  if (names.size < MAX_NAMES && key.length < LONGEST_NAME) names.set(key, name);
  return name;
}

/** As JSON has it; most keys and many texts need no escape, and are short. */
function quoted(text: string): string {
  return text.length < 32 && PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function revive(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = revive(value[index]);
    return value;
  }
  const record = value as Record<string, unknown>;
  const keys = Object.keys(record);
  const [only] = keys;
  if (keys.length === 1 && only !== undefined && MARK.test(only)) {
    const inner = record[only];
    if (only === BYTES_KEY) {
      if (typeof inner !== 'string') throw new SyntaxError(`Expected ${BYTES_KEY} to hold base64 text`);
      return fromBase64(inner);
    }
    return { [only.slice(1)]: revive(inner) };
  }
  for (const key of keys) {
    // defineProperty: a key named __proto__ is data here.
    Object.defineProperty(record, key, {
      value: revive(record[key]),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return record;
}
