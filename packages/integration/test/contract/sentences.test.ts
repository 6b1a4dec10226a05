import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../../', import.meta.url);
const ID = /\b[A-Z]+-\d{2}\b/g;

describe('docs/contract.md', () => {
  it('has a test for every sentence, and every test names a sentence that is there', () => {
    const contract = readFileSync(new URL('docs/contract.md', root), 'utf8');
    const sentences =
      contract.match(/^- \*\*[A-Z]+-\d{2}\*\*/gm)?.flatMap((line) => line.match(ID) ?? []) ?? [];
    const here = new URL('./', import.meta.url);
    const tested = readdirSync(here)
      .filter((name) => name !== 'sentences.test.ts')
      .flatMap((name) => readFileSync(new URL(name, here), 'utf8').match(ID) ?? []);
    expect([...new Set(tested)].sort()).toEqual([...sentences].sort());
  });

  it('numbers each family from 01 without a gap', () => {
    const contract = readFileSync(new URL('docs/contract.md', root), 'utf8');
    const numbers = new Map<string, number[]>();
    for (const [, family = '', number] of contract.matchAll(/^- \*\*([A-Z]+)-(\d{2})\*\*/gm)) {
      numbers.set(family, [...(numbers.get(family) ?? []), Number(number)]);
    }
    for (const [family, found] of numbers) {
      expect(found, family).toEqual(found.map((_, index) => index + 1));
    }
    expect(numbers.size).toBe(12);
  });
});
