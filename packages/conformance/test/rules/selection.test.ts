import { CLAIMS, LIMITS, METHODS, type Method, RULES, type Rule, SEAMS } from '@lousho/conformance';
import { describe, expect, it } from 'vitest';

type ClaimName = keyof typeof CLAIMS;

const values = Object.entries(CLAIMS).flatMap(([name, all]) =>
  all.map((value) => [name as ClaimName, value] as const),
);

function needing(isNeeded: (rule: Rule) => boolean | undefined): string[] {
  return RULES.filter(isNeeded).map(({ id }) => id);
}

describe('the rules', () => {
  it.each(values)('%s: %s selects at least one', (name, value) => {
    const selected = needing(({ needs }) => (needs[name] as readonly string[] | undefined)?.includes(value));
    expect(selected).not.toEqual([]);
  });

  it.each(['some', 'none'] as const)('a grace of %s selects at least one', (grace) => {
    expect(needing(({ needs }) => needs.grace === grace)).not.toEqual([]);
  });

  it.each(LIMITS)('the limit %s selects at least one', (limit) => {
    expect(needing(({ needs }) => needs.limits?.includes(limit))).not.toEqual([]);
  });

  it.each(METHODS)('%s is held to at least one', (method: Method) => {
    expect(needing(({ needs }) => needs.methods?.includes(method))).not.toEqual([]);
  });

  it('name only seams that there are', () => {
    const named = new Set(RULES.flatMap(({ needs }) => needs.seams ?? []));
    expect([...named].filter((seam) => !(seam in SEAMS))).toEqual([]);
  });

  it('between processes are of tier 1, and only they', () => {
    const between = needing(({ needs }) => needs.seams?.includes('processes'));
    expect(needing(({ tier, needs }) => tier === 1 && needs.limits === undefined)).toEqual(between);
  });
});
