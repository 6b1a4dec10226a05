import { OUTCOME_KINDS } from '../model/outcome.js';
import type { Certificate, CertifiedRule } from './certificate.js';

/** The families in the order of the rules. */
export function familiesOf(rules: readonly CertifiedRule[]): readonly string[] {
  return [...new Set(rules.map(({ family }) => family))];
}

/** One line a family with a column for each outcome, and the sum: what a person reads first. */
export function outcomeTable({ rules }: Pick<Certificate, 'rules'>): string {
  const rows = familiesOf(rules).map((family) => {
    const own = rules.filter((rule) => rule.family === family);
    return [family, ...countsOf(own)];
  });
  return alignedTable([['', ...OUTCOME_KINDS], ...rows, ['all', ...countsOf(rules)]]);
}

/** Stores by families: `passed/applied`, and what else there is in words. */
export function matrix(certificates: readonly Certificate[]): string {
  const families = familiesOf(certificates.flatMap(({ rules }) => rules));
  const rows = families.map((family) => [family, ...certificates.map(({ rules }) => cellOf(rules, family))]);
  const totals: [string, (certificate: Certificate) => number][] = [
    ['rules that apply', ({ counts }) => counts.applied],
    ['under concurrency or a fault', ({ counts }) => counts.underStress],
    ['failed', ({ counts }) => counts.failed],
    ['not run', ({ counts }) => counts['not-run']],
    ['not claimed', ({ counts }) => counts['not-claimed']],
    ['untested', ({ counts }) => counts.untested],
    ['seconds', ({ ms }) => Math.round(ms / 100) / 10],
  ];
  return alignedTable([
    ['', ...certificates.map(({ store }) => store)],
    ...rows,
    ...totals.map(([name, count]) => [name, ...certificates.map((one) => String(count(one)))]),
  ]);
}

/** `13/13`; `12/13, 1 failed`; `-` where nothing of the family binds the store. */
export function cellOf(rules: readonly CertifiedRule[], family: string): string {
  const own = rules.filter((rule) => rule.family === family);
  const count = (kind: string) => own.filter(({ outcome }) => outcome.kind === kind).length;
  const applied = count('passed') + count('failed');
  const notes = (['failed', 'not-run'] as const).flatMap((kind) =>
    count(kind) > 0 ? [`${count(kind)} ${kind}`] : [],
  );
  return [applied === 0 ? '-' : `${count('passed')}/${applied}`, ...notes].join(', ');
}

function countsOf(rules: readonly CertifiedRule[]): string[] {
  return OUTCOME_KINDS.map((kind) => {
    const count = rules.filter(({ outcome }) => outcome.kind === kind).length;
    return count === 0 ? '.' : String(count);
  });
}

function alignedTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const pad = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}
