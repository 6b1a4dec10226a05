import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ERROR_CODES } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { anchorsOf, linksOf, type Page, ROOT, readPage, readPages } from './support/pages.js';

describe('the documents', () => {
  it.each(readPages().map((page) => [page.path, page] as const))('%s links to what is there', (_, page) => {
    expect(linksOf(page).filter((target) => !isExternal(target) && !leadsSomewhere(page, target))).toEqual(
      [],
    );
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

function leadsSomewhere(page: Page, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? page.path : posix.join(posix.dirname(page.path), file);
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === undefined || anchorsOf(readPage(path)).has(anchor);
}
