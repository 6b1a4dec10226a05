import { readFileSync } from 'node:fs';
import { RULES, sentenceOf } from '@lousho/conformance';
import { describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../../../docs/contract.md', import.meta.url), 'utf8');
const sentences = [...page.matchAll(/^- \*\*([A-Z]+-\d{2})\*\* (.+)$/gm)].map(
  ([, id = '', says = '']) => [id, says] as const,
);

describe('docs/contract.md and the rules', () => {
  it('have the same sentences, word by word, in the same order', () => {
    const ofRules = new Map(RULES.map(({ id, says }) => [sentenceOf(id), says]));
    expect([...ofRules]).toEqual(sentences);
  });

  it('each check of a sentence has the sentence’s words, and a name of its own', () => {
    const says = new Map(sentences);
    for (const rule of RULES) expect(rule.says, rule.id).toBe(says.get(sentenceOf(rule.id)));
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
  });

  it('number each family from 01 without a gap', () => {
    const numbers = new Map<string, number[]>();
    for (const [id] of sentences) {
      const [family = '', number] = id.split('-');
      numbers.set(family, [...(numbers.get(family) ?? []), Number(number)]);
    }
    for (const [family, found] of numbers) {
      expect(found, family).toEqual(found.map((_, index) => index + 1));
    }
    expect([...numbers.keys()]).toEqual([...new Set(RULES.map(({ family }) => family))]);
  });
});
