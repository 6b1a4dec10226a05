import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that everybody may read and only its owner may write; it is gone when the test has finished. */
export function temporaryFolder(mode = 0o755): string {
  const folder = mkdtempSync(join(tmpdir(), 'lousho-faults-'));
  chmodSync(folder, mode);
  onTestFinished(() => {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
