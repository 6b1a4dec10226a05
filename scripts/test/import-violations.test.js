import { describe, expect, test } from 'vitest';
import { importViolations } from '../lib/import-violations.js';

const MANIFESTS = {
  core: {},
  'store-file': { peerDependencies: { '@lousho/core': '^0.1.0' } },
  'store-sqlite': { dependencies: { 'better-sqlite3': '^12.6.2' }, devDependencies: { semver: '^7.0.0' } },
  'ai-sdk': { devDependencies: { '@ai-sdk/provider': '^3.0.0' } },
  telemetry: { peerDependencies: { '@opentelemetry/api': '^1.9.0' } },
  conformance: { peerDependencies: { vitest: '^4.0.0' } },
  integration: { private: true, devDependencies: { 'fast-check': '^4.0.0' } },
  'test-backends': { private: true, dependencies: { dynalite: '^4.0.0' } },
};

/** What is wrong with one import line in one file, without the place it stands at. */
function faultsOf(path, line) {
  return importViolations({ [path]: line }, MANIFESTS).map((sentence) => sentence.replace(/^.*?: /, ''));
}

const ALLOWED = [
  ['core/src/run/decide.ts', "import { step } from './step.js';"],
  ['core/src/run/decide.ts', "import type { Checkpoint } from '../contract/checkpoint.js';"],
  ['core/src/ports/clock.ts', "import { type Clock } from '../contract/clock.js';"],
  ['core/src/ports/tool.ts', "import type { StandardSchemaV1 } from '@standard-schema/spec';"],
  ['core/src/executor/run-loop.ts', "import { decide } from '../run/decide.js';"],
  ['core/src/agent/create-agent.ts', "import { runLoop } from '../executor/run-loop.js';"],
  ['core/src/testing/mock-model.ts', "import { createAgent } from '../index.js';"],
  ['core/src/node/process-identity.ts', "import { readFile } from 'node:fs/promises';"],
  ['core/src/index.ts', "export * from './agent/index.js';"],
  ['store-file/src/file-store.ts', "import { SDKError } from '@lousho/core/contract';"],
  ['store-file/src/file-store.ts', "import { processIdentity } from '@lousho/core/node';"],
  ['store-file/src/file-store.ts', "import { open } from 'node:fs/promises';"],
  ['store-sqlite/src/sqlite-store.ts', "import Database from 'better-sqlite3';"],
  ['ai-sdk/src/ai-sdk.ts', "import type { LLMProvider } from '@lousho/core';"],
  ['ai-sdk/src/ai-sdk.ts', "import { SDKError } from '@lousho/core/contract';"],
  ['telemetry/src/spans.ts', "import type { Observer } from '@lousho/core';"],
  ['telemetry/src/spans.ts', "import { trace } from '@opentelemetry/api';"],
  ['conformance/src/reference.ts', "import { mockModel } from '@lousho/core/testing';"],
  ['conformance/src/vitest.ts', "import { describe } from 'vitest';"],
  ['conformance/src/cli.ts', 'const harness = await import(path);'],
  ['integration/src/replay/cli.ts', "import { fileStore } from '@lousho/store-file';"],
  ['integration/src/replay/cli.ts', "import fc from 'fast-check';"],
  ['test-backends/src/dynamodb.ts', "import dynalite from 'dynalite';"],
];

const REFUSED = [
  ['core/src/contract/lease.ts', "import { decide } from '../run/decide.js';", 'nothing outside itself'],
  ['core/src/run/decide.ts', "import { clock } from '../ports/clock.js';", 'run may import contract'],
  [
    'core/src/run/decide.ts',
    "import type { Loop } from '../executor/run-loop.js';",
    'run may import contract',
  ],
  ['core/src/ports/clock.ts', "import { decide } from '../run/decide.js';", 'ports may import contract'],
  ['core/src/executor/run-loop.ts', "export * from '../agent/session.js';", 'executor may import'],
  ['core/src/agent/session.ts', "import { mockModel } from '../testing/mock-model.js';", 'agent may import'],
  ['core/src/agent/session.ts', "import { createAgent } from '../index.js';", 'agent may import'],
  ['core/src/testing/mock-model.ts', "import { identity } from '../node/index.js';", 'testing may import'],
  ['core/src/node/index.ts', "import { decide } from '../run/decide.js';", 'node may import ports, contract'],
  ['core/src/index.ts', "export * from './testing/index.js';", 'index may import'],
  ['core/src/index.ts', "export * from './node/index.js';", 'index may import'],
  ['core/src/helpers/deep.ts', "import './other.js';", "no folder 'helpers'"],
  ['core/src/executor/run-loop.ts', "import { readFile } from 'node:fs/promises';", "only core's node"],
  ['core/src/executor/run-loop.ts', "const fs = await import('node:fs');", "only core's node"],
  ['core/src/executor/run-loop.ts', "let file: import('node:fs').Stats;", "only core's node"],
  ['core/src/executor/run-loop.ts', "import fs from 'fs';", 'core imports no package'],
  ['core/src/ports/tool.ts', "import { z } from 'zod';", 'core imports no package'],
  ['core/src/ports/tool.ts', "import type { ZodType } from 'zod';", 'core imports no package'],
  ['core/src/ports/tool.ts', "import { spec } from '@standard-schema/spec';", 'core imports no package'],
  [
    'core/src/agent/session.ts',
    "import { assertId } from '@lousho/core/contract';",
    'core imports no package',
  ],
  ['core/src/agent/session.ts', "import { fileStore } from '@lousho/store-file';", 'core imports no package'],
  ['core/src/agent/session.ts', 'await import(name);', 'by a computed name'],
  ['core/src/node/index.ts', "import '../../../store-file/src/index.js';", 'imported by its name'],
  ['store-file/src/file-store.ts', "import { createAgent } from '@lousho/core';", 'a store imports'],
  ['store-file/src/file-store.ts', "import { runLoop } from '@lousho/core/executor';", 'a store imports'],
  ['store-file/src/file-store.ts', "import { SqliteStore } from '@lousho/store-sqlite';", 'a store imports'],
  ['store-file/src/file-store.ts', "import '../../core/src/contract/index.js';", 'imported by its name'],
  ['store-file/src/file-store.ts', "import Database from 'better-sqlite3';", 'no dependency'],
  ['store-sqlite/src/sqlite-store.ts', "import semver from 'semver';", 'no dependency'],
  ['ai-sdk/src/ai-sdk.ts', "import { fileStore } from '@lousho/store-file';", 'knows no store'],
  ['ai-sdk/src/ai-sdk.ts', "import { mockModel } from '@lousho/core/testing';", 'knows no store'],
  ['ai-sdk/src/ai-sdk.ts', "import { APICallError } from '@ai-sdk/provider';", 'no dependency'],
  ['telemetry/src/spans.ts', "import { fileStore } from '@lousho/store-file';", 'knows no store'],
  ['conformance/src/rules.ts', "import { fileStore } from '@lousho/store-file';", 'knows no store'],
  ['integration/src/index.ts', "import '../../store-file/src/index.js';", 'imported by its name'],
  ['test-backends/src/redis.ts', "import { createAgent } from '@lousho/core';", 'none of our packages'],
  ['cli/src/main.ts', "import 'node:fs';", "names package 'cli'"],
];

describe('the direction of imports', () => {
  test.each(ALLOWED)('%s may have: %s', (path, line) => {
    expect(faultsOf(`packages/${path}`, line)).toEqual([]);
  });

  test.each(REFUSED)('%s may not have: %s', (path, line, reason) => {
    expect(faultsOf(`packages/${path}`, line)).toEqual([expect.stringContaining(reason)]);
  });

  test('a violation says where it stands and what it imports', () => {
    const sources = { 'packages/core/src/run/decide.ts': "\nimport { now } from '../ports/clock.js';\n" };
    expect(importViolations(sources, MANIFESTS)).toEqual([
      "packages/core/src/run/decide.ts:2 imports '../ports/clock.js': core's run may import contract",
    ]);
  });

  test('an import in a comment or a string is none', () => {
    const text = "// import 'node:fs';\nconst text = \"import 'node:fs'\";";
    expect(faultsOf('packages/core/src/run/decide.ts', text)).toEqual([]);
  });

  test('a file that does not parse is an error, not an empty list', () => {
    expect(() => faultsOf('packages/core/src/run/decide.ts', 'import {')).toThrow('does not parse');
  });
});
