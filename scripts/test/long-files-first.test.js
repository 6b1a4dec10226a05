import { expect, it } from 'vitest';
import LongFilesFirst, { rankOf } from '../long-files-first.js';

const CONFORMANCE = '/repo/packages/integration/test/conformance';

it('the longest file comes first, and one that is not long last', () => {
  const longest = `${CONFORMANCE}/dynamodb.test.ts`;
  const others = [`${CONFORMANCE}/faults-file.test.ts`, `${CONFORMANCE}/memory.test.ts`];
  const short = '/repo/packages/core/test/run/decide.test.ts';
  const shuffled = [short, others[1], longest, others[0]];
  expect(shuffled.sort((a, b) => rankOf(a) - rankOf(b))).toEqual([longest, ...others, short]);
});

it('all files are run, each once', async () => {
  const config = { isolate: true, sequence: { groupOrder: 0 } };
  const project = { name: '', config };
  const cache = { getFileTestResults: () => undefined, getFileStats: () => undefined };
  const files = ['core/test/a', 'integration/test/crash/b', 'integration/test/c', 'core/test/d'].map(
    (path) => ({ moduleId: `/repo/packages/${path}.test.ts`, project }),
  );
  const sorted = await new LongFilesFirst({ cache, config: { root: '/repo' } }).sort(files);
  expect(sorted.map(({ moduleId }) => moduleId.slice(-9))).toEqual([
    'b.test.ts',
    'c.test.ts',
    'a.test.ts',
    'd.test.ts',
  ]);
});
