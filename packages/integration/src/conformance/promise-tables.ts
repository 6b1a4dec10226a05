import type { Certificate } from '@lousho/conformance';

/** What stands before a table of a README that says what a store declares. */
const MARKER = /<!-- promises of (?<store>[^>]+) -->\n\n(?<table>(?:\|.*\n)+)/g;

/** The stores whose promises a README tells. */
export function promisersOf(readme: string): readonly string[] {
  return [...readme.matchAll(MARKER)].map(({ groups }) => groups?.store as string);
}

/** A README with the values that its stores declare. Why each is so was written by hand, and stays. */
export function withPromises(readme: string, certificates: readonly Certificate[]): string {
  return readme.replace(MARKER, (block, store: string, written: string) => {
    const certificate = certificates.find((one) => one.store === store);
    if (!certificate) return block;
    const reasons = reasonsIn(written);
    const rows = Object.entries(certificate.claims)
      .map(([name, value]) => [name, valueText(value)] as const)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `| \`${name}\` | ${value} | ${reasons.get(name) ?? ''} |`);
    return [
      `<!-- promises of ${store} -->\n`,
      '| capability | value | because |',
      '|---|---|---|',
      ...rows,
      '',
    ].join('\n');
  });
}

/** The last cell of each row, by what stands in its first one. */
function reasonsIn(table: string): ReadonlyMap<string, string> {
  const rows = table
    .trimEnd()
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return new Map(rows.map((cells) => [cells[0]?.replaceAll('`', '') ?? '', cells.at(-1) ?? '']));
}

function valueText(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en-US');
  if (typeof value !== 'object' || value === null) return `\`${value}\``;
  return Object.entries(value)
    .map(([name, limit]) => `\`${name}\` ${(limit as number).toLocaleString('en-US')}`)
    .join(', ');
}
