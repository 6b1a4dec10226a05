import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ERROR_CODES } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { anchorsOf, linksOf, type Page, ROOT, readPage, readPages } from './support/pages.js';

const pages = new Set(readPages().map(({ path }) => path));

describe('the documents', () => {
  it.each(readPages().map((page) => [page.path, page] as const))('%s links to what is there', (_, page) => {
    expect(linksOf(page).filter((target) => !isExternal(target) && !leadsSomewhere(page, target))).toEqual(
      [],
    );
  });

  it('are each reached by links from the README', () => {
    const reached = new Set<string>();
    const visit = (path: string): void => {
      if (reached.has(path) || !pages.has(path)) return;
      reached.add(path);
      const page = readPage(path);
      for (const target of linksOf(page).filter((link) => !isExternal(link))) visit(pathOf(page, target));
    };
    visit('README.md');
    const unreached = [...pages].filter((path) => path.startsWith('docs/') && !reached.has(path));
    expect(unreached).toEqual([]);
  });

  it('name only error codes that exist', () => {
    const unknown = readPages().flatMap(({ path, text }) =>
      [...text.matchAll(/\bLOUSHO_[A-Z_]+[A-Z]\b/g)]
        .filter(([code]) => !(code in ERROR_CODES))
        .map(([code]) => `${path}: ${code}`),
    );
    expect(unknown).toEqual([]);
  });
});

function isExternal(target: string): boolean {
  return /^[a-z]+:/.test(target);
}

function pathOf(page: Page, target: string): string {
  const [file = ''] = target.split('#');
  return file === '' ? page.path : posix.join(posix.dirname(page.path), file);
}

function leadsSomewhere(page: Page, target: string): boolean {
  const [, anchor] = target.split('#');
  const path = pathOf(page, target);
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === undefined || anchorsOf(readPage(path)).has(anchor);
}
