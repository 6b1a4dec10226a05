import { expect, test } from 'vitest';
import { releaseProblems } from '../lib/release-rules.js';

const FIXED = { fixed: [['@lousho/core', '@lousho/store-*']] };
const changeset = (bump) => ({
  'a.md': `---\n"@lousho/core": ${bump}\n---\n\nRenews leases in minor: steps.\n`,
});
const packages = (version) => ({ core: { name: '@lousho/core', version } });

test('a patch below 1.0.0 and a minor above it are fine', () => {
  expect(releaseProblems(packages('0.1.0'), FIXED, changeset('patch'))).toEqual([]);
  expect(releaseProblems(packages('1.4.0'), FIXED, changeset('minor'))).toEqual([]);
});

test('a minor below 1.0.0 is refused, since it would release 1.0.0', () => {
  expect(releaseProblems(packages('0.1.0'), FIXED, changeset('minor'))).toEqual([
    '.changeset/a.md: minor would release 1.0.0; below 1.0.0 use patch',
  ]);
});

test('a published package outside of the fixed group is named', () => {
  const published = {
    'store-x': { name: '@lousho/store-x', version: '0.1.0' },
    kit: { name: '@lousho/conformance', version: '0.1.0' },
  };
  expect(releaseProblems(published, FIXED, {})).toEqual([
    '.changeset/config.json: @lousho/conformance is not in the fixed group',
  ]);
});
