import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that goes when the process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lousho-example-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
