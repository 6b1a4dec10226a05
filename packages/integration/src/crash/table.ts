import type { StoreName } from '../stores/store-names.js';
import type { CrashOutcome, CrashTest } from './crash-test.js';

/** What a test came to on one store. */
export interface StoreOutcome {
  readonly store: StoreName;
  readonly outcome: CrashOutcome | { readonly kind: 'failed'; readonly error: Error };
}

/** Whether everything that was measured is as promised. */
export function isKept({ outcome }: StoreOutcome): boolean {
  if (outcome.kind === 'failed') return false;
  return outcome.kind === 'not-measured' || outcome.figures.every((figure) => figure.isKept);
}

/** A test's figures, a line each, with a column for what is promised and one for each store that was measured. */
export function crashTable(test: CrashTest, outcomes: readonly StoreOutcome[]): string {
  const measured = outcomes.flatMap(({ store, outcome }) =>
    outcome.kind === 'measured' ? [{ store, figures: outcome.figures }] : [],
  );
  const labels = [...new Set(measured.flatMap(({ figures }) => figures.map((figure) => figure.label)))];
  const rows = labels.map((label) => {
    const found = measured.map(({ figures }) => figures.find((figure) => figure.label === label));
    const promised = found.find((figure) => figure?.promised !== undefined)?.promised ?? '';
    return [label, promised, ...found.map(cell)];
  });
  const heading = ['', 'promised', ...measured.map(({ store }) => store)];
  const table = measured.length > 0 ? [...columns([heading, ...rows])] : [];
  const notes = outcomes.flatMap(({ store, outcome }) => {
    if (outcome.kind === 'not-measured') return [`  ${store}: not measured: ${outcome.reason}`];
    if (outcome.kind === 'failed') return [`  ${store}: ${BROKEN} failed: ${outcome.error.message}`];
    return [];
  });
  return [`${test.name}  ${test.says}`, ...table, ...notes].join('\n');
}

/** Marks what is not as promised. */
export const BROKEN = '✗';

function cell(figure: { readonly got: string; readonly isKept: boolean } | undefined): string {
  if (!figure) return '-';
  return figure.isKept ? figure.got : `${BROKEN} ${figure.got}`;
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join('   ')}`.trimEnd());
}
