import { describe, expect, test } from 'vitest';
import { referenceProblems } from '../lib/project-references.js';
import { headingFault, STORE_HEADINGS } from '../lib/readme-headings.js';
import { siblingRangeProblems } from '../lib/sibling-ranges.js';

function workspace(range, coreVersion = '0.1.0') {
  return {
    core: { name: '@lousho/core', version: coreVersion },
    'store-x': { name: '@lousho/store-x', version: coreVersion, peerDependencies: { '@lousho/core': range } },
  };
}

describe('ranges between siblings', () => {
  test('a caret range that the local version satisfies is fine', () => {
    expect(siblingRangeProblems(workspace('^0.1.0', '0.1.7'))).toEqual([]);
  });

  test.each([
    ['workspace:*', 'should be a plain caret range'],
    ['>=0.1.0', 'should be a plain caret range'],
    ['^0.2.0', 'does not admit the local 0.1.0'],
  ])('%s %s', (range, problem) => {
    expect(siblingRangeProblems(workspace(range))).toEqual([expect.stringContaining(problem)]);
  });

  test('a sibling that is not in the workspace is named', () => {
    const { 'store-x': store } = workspace('^0.1.0');
    expect(siblingRangeProblems({ 'store-x': store })).toEqual([expect.stringContaining('is no package')]);
  });

  test('published packages have one version, private ones may differ', () => {
    const hidden = { name: '@lousho/integration', version: '0.0.1', private: true };
    const other = { name: '@lousho/store-y', version: '0.2.0' };
    expect(siblingRangeProblems({ ...workspace('^0.1.0'), integration: hidden })).toEqual([]);
    expect(siblingRangeProblems({ ...workspace('^0.1.0'), 'store-y': other })).toEqual([
      'published packages differ in version: 0.1.0, 0.2.0',
    ]);
  });
});

describe('project references', () => {
  const manifests = {
    core: {},
    'store-x': { devDependencies: { '@lousho/core': '^0.1.0', vitest: '^4.0.0' } },
  };

  test('references that repeat the package.json files are fine', () => {
    const references = {
      '.': ['packages/core', 'packages/store-x'],
      core: [],
      'store-x': ['../core/tsconfig.main.json'],
    };
    expect(referenceProblems(manifests, references)).toEqual([]);
  });

  test('a package that the root does not build and a dependency that is built too late are named', () => {
    expect(referenceProblems(manifests, { '.': ['packages/core'], core: [], 'store-x': [] })).toEqual([
      'tsconfig.json references no packages/store-x',
      'packages/store-x/tsconfig.json references no ../core',
    ]);
  });
});

describe("the headings of a store's README", () => {
  const readme = (headings) => `# A store\n\n${headings.map((title) => `## ${title}\n\nText.\n`).join('\n')}`;

  test('all of them in order, sub-headings and code aside, are fine', () => {
    const text = readme(STORE_HEADINGS).replace('Text.', '### More\n\n```sh\n## a comment\n```\n');
    expect(headingFault(text)).toBeUndefined();
  });

  test('a missing, a strange and a misplaced heading are faults', () => {
    expect(headingFault(readme(STORE_HEADINGS.slice(1)))).toContain('it has Install');
    expect(headingFault(readme([...STORE_HEADINGS, 'License']))).toContain('License');
    expect(headingFault(readme(STORE_HEADINGS.toReversed()))).toContain('it has Errors');
    expect(headingFault('# A store')).toContain('it has none');
  });
});
