import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory of the test's own, removed when it is over. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'lousho-file-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
