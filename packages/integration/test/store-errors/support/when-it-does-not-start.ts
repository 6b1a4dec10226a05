import { readPage } from '../../docs/support/pages.js';

const SECTION = /^## When it does not start$([\s\S]*?)(?=^## |(?![\s\S]))/m;

/** What docs/guides/operating.md says to do about a fault of a store. */
export function whatToDo(store: string, fault: string, code: string): string {
  const row = rowsOf(store).find((cells) => cells[0] === fault && cells[1] === `\`${code}\``);
  if (!row?.[2]) throw new Error(`operating.md has no row | ${fault} | \`${code}\` | … | for ${store}`);
  return row[2];
}

/** The faults that the page lists for a store. */
export function faultsOnPage(store: string): readonly string[] {
  return rowsOf(store).map(([fault = '']) => fault);
}

function rowsOf(store: string): readonly (readonly string[])[] {
  const [, section = ''] = SECTION.exec(readPage('docs/guides/operating.md').text) ?? [];
  const [, table = ''] = section.split(`\n### ${store}\n`);
  const lines = (table.split('\n### ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(1).map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  );
}
