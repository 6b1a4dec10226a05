import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSkills } from '@lousho/core/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { frontMatter } from '../../dist/node/front-matter.js';

function folderWith(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'lousho-skills-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(dir, path, '..'), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

const REFUNDS =
  '---\nname: refunds\ndescription: Pays orders back. Use it for every refund.\n---\n\n# Refunds\n\nAsk first.\n';

describe('the skills of a folder', () => {
  it('are read by name, and everything else in it is passed over', () => {
    const dir = folderWith({
      'refunds/SKILL.md': REFUNDS,
      'refunds/scripts/run.sh': 'exit 1',
      'billing/SKILL.md': REFUNDS.replaceAll('refunds', 'billing'),
      'no-skill/README.md': 'nothing',
      'SKILL.md': 'not in a folder',
      'notes.txt': 'nothing',
    });
    expect(loadSkills(dir)).toEqual([
      {
        name: 'billing',
        description: 'Pays orders back. Use it for every refund.',
        content: '# Refunds\n\nAsk first.',
      },
      {
        name: 'refunds',
        description: 'Pays orders back. Use it for every refund.',
        content: '# Refunds\n\nAsk first.',
      },
    ]);
    expect(loadSkills(folderWith({}))).toEqual([]);
  });

  it.each([
    ['no front matter', '# Refunds', 'has no front matter'],
    ['front matter that does not end', '---\nname: refunds\n', 'has no front matter'],
    ['another name', REFUNDS.replace('name: refunds', 'name: other'), 'has the name other'],
    ['no name', REFUNDS.replace('name: refunds\n', ''), 'has the name undefined'],
    ['no description', REFUNDS.replace(/description.*\n/, ''), 'refunds.description'],
    ['a description that is too long', REFUNDS.replace('Pays', 'x'.repeat(1_024)), 'refunds.description'],
    ['no content', REFUNDS.replace(/# Refunds[\s\S]*/, ''), 'refunds.content'],
  ])('%s is refused, with the path and the reason', (_, text, reason) => {
    const dir = folderWith({ 'refunds/SKILL.md': text });
    const expected = { code: 'LOUSHO_CONFIG_INVALID', field: 'skills' };
    expect(() => loadSkills(dir)).toThrow(expect.objectContaining(expected));
    expect(() => loadSkills(dir)).toThrow(join(dir, 'refunds', 'SKILL.md'));
    expect(() => loadSkills(dir)).toThrow(reason);
  });

  it('a name that is none is refused, also where the folder has it', () => {
    const dir = folderWith({ 'Refunds/SKILL.md': REFUNDS.replace('name: refunds', 'name: Refunds') });
    expect(() => loadSkills(dir)).toThrow('lower-case letters');
  });

  it('a folder that is not there is refused', () => {
    const dir = join(folderWith({}), 'missing');
    expect(() => loadSkills(dir)).toThrow(
      expect.objectContaining({
        code: 'LOUSHO_CONFIG_INVALID',
        cause: expect.objectContaining({ code: 'ENOENT' }),
      }),
    );
  });
});

describe('front matter', () => {
  const read = (value: string) => frontMatter(`---\nd: ${value}\nend: e\n---\nbody`)?.fields.get('d');

  it.each([
    ['plain', 'Pays back: all of it', 'Pays back: all of it'],
    ['with a comment', 'Pays back # not always', 'Pays back'],
    ['with a sharp that is none', 'Use C# here', 'Use C# here'],
    ['over lines', 'Pays\n  back', 'Pays back'],
    ['in single quotes', "'It''s # all'", "It's # all"],
    ['in double quotes', '"a \\"b\\" # c\\n" # comment', 'a "b" # c\n'],
    ['folded', '>\n  One\n  two\n\n  three', 'One two\nthree'],
    ['folded and stripped', '>-\n  One\n  two', 'One two'],
    ['literal', '|\n  - One\n    - two', '- One\n  - two'],
  ])('reads a text %s', (_, written, text) => {
    expect(read(written)).toBe(text);
  });

  it.each([
    ['a map', '\n  author: ana'],
    ['a list', '[a, b]'],
    ['an alias', '*other'],
    ['nothing', ''],
    ['quotes that do not end', '"open'],
  ])('passes over %s', (_, written) => {
    expect(read(written)).toBeUndefined();
    expect(frontMatter(`---\nd: ${written}\nend: e\n---\n`)?.fields.get('end')).toBe('e');
  });

  it('is at the top of the text, with any line ends', () => {
    expect(frontMatter('\uFEFF---\r\nname: a\r\n---\r\nbody\r\n')).toEqual({
      fields: new Map([['name', 'a']]),
      body: 'body\n',
    });
    expect(frontMatter('---\n---\nbody')).toEqual({ fields: new Map(), body: 'body' });
    expect(frontMatter('\n---\nname: a\n---\n')).toBeUndefined();
    expect(frontMatter('---\nname: a\n--- b\n---\nbody\n---\n')?.body).toBe('body\n---\n');
  });
});
