import { expect, test } from 'vitest';
import { importCycles } from '../lib/import-cycles.js';

test('a tree without a cycle, diamonds included, has none', () => {
  const sources = {
    'src/a.ts': "import './b.js'; import './c.js';",
    'src/b.ts': "import './d.js';",
    'src/c.ts': "import './d.js';",
    'src/d.ts': "import 'node:fs';",
  };
  expect(importCycles(sources)).toEqual([]);
});

test('a cycle over three files is told once, as a path', () => {
  const sources = {
    'src/entry.ts': "import './a.js';",
    'src/a.ts': "export * from './deep/b.js';",
    'src/deep/b.ts': "import '../c.js';",
    'src/c.ts': "import './a.js';",
  };
  expect(importCycles(sources)).toEqual(['src/a.ts -> src/deep/b.ts -> src/c.ts -> src/a.ts']);
});

test('a cycle of type imports is a cycle', () => {
  const sources = {
    'src/a.ts': "import type { B } from './b.js';",
    'src/b.ts': "import type { A } from './a.js';",
  };
  expect(importCycles(sources)).toHaveLength(1);
});
