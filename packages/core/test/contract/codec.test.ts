import { decode, encode, SDKError } from '@lousho/core/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

function refusal(value: unknown, root?: string): string {
  try {
    encode(value, root);
  } catch (error) {
    expect(error).toBeInstanceOf(SDKError);
    expect((error as SDKError).code).toBe('LOUSHO_VALUE_INVALID');
    return (error as SDKError).detail;
  }
  throw new Error('it was not refused');
}

describe('encode and decode', () => {
  it('are exact for any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), (value) => {
        expect(decode(encode(value))).toEqual(value);
      }),
    );
  });

  it('write the text that JSON.stringify writes, where JSON can say it', () => {
    fc.assert(
      fc.property(
        fc.jsonValue().filter((value) => !JSON.stringify(value).includes('bytes')),
        (value) => {
          const text = JSON.stringify(value, (_, entry) => (Object.is(entry, -0) ? 'minus zero' : entry));
          fc.pre(!text.includes('minus zero'));
          expect(encode(value)).toBe(text);
        },
      ),
    );
  });

  it('keep every code unit of a text', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff)), (codes) => {
        const text = String.fromCharCode(...codes);
        expect(decode(encode(text))).toBe(text);
      }),
    );
  });

  it('keep every number, -0 included', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(decode(encode(number))).toBe(number);
      }),
    );
    expect(decode(encode([-0]))).toEqual([-0]);
  });

  it('keep the order of keys and drop undefined properties', () => {
    expect(encode({ b: 1, a: undefined, aa: 2, 1: 'first, as JavaScript orders it' })).toBe(
      '{"1":"first, as JavaScript orders it","b":1,"aa":2}',
    );
  });

  it('take a key named __proto__ for data', () => {
    const value: unknown = JSON.parse('{"__proto__":{"x":1},"data":{"__proto__":[1]}}');
    const back = decode(encode(value)) as object;
    expect(Object.keys(back)).toEqual(['__proto__', 'data']);
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
    const withBytes = decode(encode({ ...(value as object), bytes: new Uint8Array([1]) })) as object;
    expect(Object.getPrototypeOf(withBytes)).toBe(Object.prototype);
  });

  it('accept an object without a prototype, and one of another realm', async () => {
    const { runInNewContext } = await import('node:vm');
    expect(encode(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
    expect(encode(runInNewContext('({ a: [1, { b: 2 }] })'))).toBe('{"a":[1,{"b":2}]}');
  });

  it('keep bytes, at sizes around the chunk of the encoder and as a view of a larger buffer', () => {
    for (const size of [0, 1, 2, 3, 0x8000 - 1, 0x8000, 0x8001, 100_000]) {
      const bytes = Uint8Array.from({ length: size }, (_, index) => index % 251);
      expect(decode(encode({ bytes }))).toEqual({ bytes });
    }
    const view = new Uint8Array(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2);
    expect(encode(view)).toBe('{"$bytes":"AgM="}');
    expect(decode(encode(view))).toEqual(new Uint8Array([2, 3]));
  });

  it('keep a Buffer as the bytes that it is', () => {
    const back = decode(encode({ file: Buffer.from('hi') })) as { file: Uint8Array };
    expect([...back.file]).toEqual([104, 105]);
    expect(back.file.constructor).toBe(Uint8Array);
  });

  it.each([
    [{ $bytes: 'AgM=' }, '{"$$bytes":"AgM="}'],
    [{ $bytes: 1 }, '{"$$bytes":1}'],
    [{ $$bytes: 'x' }, '{"$$$bytes":"x"}'],
    [{ $bytes: { $bytes: 'x' } }, '{"$$bytes":{"$$bytes":"x"}}'],
    [{ $bytes: 'x', other: 1 }, '{"$bytes":"x","other":1}'],
    [{ $bytes: 'x', gone: undefined }, '{"$$bytes":"x"}'],
    [{ bytes: 'x' }, '{"bytes":"x"}'],
    [{ $Bytes: 'x' }, '{"$Bytes":"x"}'],
  ])('escape what looks like bytes: %j', (value, text) => {
    expect(encode(value)).toBe(text);
    expect(decode(text)).toEqual(JSON.parse(JSON.stringify(value)));
  });

  it.each([
    ['a BigInt', { a: [0, 1n] }, '`value.a[1]` to be JSON or Uint8Array, got a bigint'],
    ['a Date', { at: new Date() }, '`value.at` to be JSON or Uint8Array, got a Date'],
    ['a Map', new Map(), '`value` to be JSON or Uint8Array, got a Map'],
    ['NaN', [Number.NaN], '`value[0]` to be JSON or Uint8Array, got NaN'],
    ['undefined itself', undefined, '`value` to be JSON or Uint8Array, got undefined'],
    ['a hole', Object.assign([1], { 2: 2 }), '`value[1]` to be JSON or Uint8Array, got undefined'],
    ['a function', { 'a-b': { c: () => {} } }, '`value["a-b"].c` to be JSON or Uint8Array, got a function'],
    ['a symbol', { s: Symbol.iterator }, '`value.s` to be JSON or Uint8Array, got a symbol'],
    ['a boxed number', { n: Object(1) }, '`value.n` to be JSON or Uint8Array, got a Number'],
    ['a float array', { f: new Float32Array(1) }, '`value.f` to be JSON or Uint8Array, got a Float32Array'],
    [
      'a buffer without a view',
      { b: new ArrayBuffer(1) },
      '`value.b` to be JSON or Uint8Array, got a ArrayBuffer',
    ],
    [
      'a Set behind deeper values',
      [{ a: { b: 1 } }, new Set()],
      '`value[1]` to be JSON or Uint8Array, got a Set',
    ],
    ['NaN behind deeper values', [[[1]], Number.NaN], '`value[1]` to be JSON or Uint8Array, got NaN'],
  ])('refuse %s with its path', (_, value, sentence) => {
    expect(refusal(value)).toBe(`Expected ${sentence}`);
  });

  it('name the root in the path', () => {
    expect(refusal({ a: 1n }, 'checkpoint.messages[3]')).toContain('`checkpoint.messages[3].a`');
  });

  it('refuse a cycle and accept the same object twice', () => {
    const shared = { a: 1 };
    expect(encode([shared, shared, { shared }])).toBe('[{"a":1},{"a":1},{"shared":{"a":1}}]');
    const list: unknown[] = [];
    list.push({ list });
    expect(refusal(list)).toContain('`value[0].list` to be JSON or Uint8Array, got a cycle');
  });

  it('accept 2,000 levels and refuse one more', () => {
    const nested = (levels: number) => {
      let value: unknown = 1;
      for (let level = 0; level < levels; level++) value = [value];
      return value;
    };
    expect(encode(decode(encode(nested(2_000))))).toBe(encode(nested(2_000)));
    expect(refusal(nested(2_001))).toContain('nesting deeper than 2000');
    expect(refusal(nested(200_000))).toContain('nesting deeper than 2000');
  });

  it('read each property once, and name a getter that throws', () => {
    let reads = 0;
    const value = {
      get once() {
        reads += 1;
        return reads === 1 ? 'safe' : 1n;
      },
    };
    expect(encode(value)).toBe('{"once":"safe"}');
    const failing = {
      get bad(): never {
        throw new Error('secret');
      },
    };
    expect(refusal({ failing })).toContain('`value.failing.bad`');
    expect(refusal({ failing })).not.toContain('secret');
  });

  it.each(['', '{', '{"a":}', '{"$bytes":1}', 'undefined', '{"a":1} x'])('do not read %j', (text) => {
    expect(() => decode(text)).toThrow(SyntaxError);
  });

  it('do not read bytes that are no base64', () => {
    expect(() => decode('{"$bytes":"*"}')).toThrow();
  });
});
