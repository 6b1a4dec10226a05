import { ERROR_CODES, type ErrorCode, SDKError } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { anchorsOf, headingsOf, readPage } from './support/pages.js';

const page = readPage('docs/errors.md');
const codes = Object.keys(ERROR_CODES) as ErrorCode[];

describe('docs/errors.md', () => {
  it('has one heading for each code, in the order of the registry', () => {
    expect(headingsOf(page).filter((title) => title.startsWith('LOUSHO_'))).toEqual(codes);
  });

  it('says of each code when it happens, what to do and whether to retry', () => {
    for (const code of codes) {
      const labels = [...sectionOf(code).matchAll(/^\*\*(.+?):\*\*/gm)].map(([, label]) => label);
      expect({ code, labels }).toEqual({ code, labels: ['When', 'What to do', 'Retry'] });
    }
  });

  it('says the same about a retry as the registry', () => {
    const said = codes.map((code) => [code, /^\*\*Retry:\*\* (yes|no)\b/m.exec(sectionOf(code))?.[1]]);
    expect(said).toEqual(codes.map((code) => [code, ERROR_CODES[code].retryable ? 'yes' : 'no']));
  });

  it('has the section that an error links to', () => {
    const anchors = anchorsOf(page);
    for (const code of codes) {
      const [file, anchor] = new SDKError(code, 'for the link').docs.split('#');
      expect(file).toMatch(/\/docs\/errors\.md$/);
      expect(anchors).toContain(anchor);
    }
  });
});

function sectionOf(code: string): string {
  const [, section = ''] = page.text.split(`\n## ${code}\n`);
  return section.split('\n## ')[0] ?? '';
}
