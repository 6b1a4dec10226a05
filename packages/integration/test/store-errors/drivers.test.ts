import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../docs/support/pages.js';

const DRIVERS = [
  ['store-sqlite', 'better-sqlite3'],
  ['store-postgres', 'pg'],
  ['store-redis', 'ioredis'],
  ['store-dynamodb', '@aws-sdk/client-dynamodb'],
] as const;

// A driver cannot be missing where its store was installed, so no store has a text for that.
it.each(DRIVERS)('%s brings %s with it', (store, driver) => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'packages', store, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  expect(Object.keys(manifest.dependencies)).toContain(driver);
});
