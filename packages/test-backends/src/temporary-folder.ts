import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasRemoved, willRemove } from './undertaker.js';

export function temporaryFolder(name: string): string {
  const dir = mkdtempSync(join(tmpdir(), `lousho-${name}-${process.pid}-`));
  willRemove(dir);
  return dir;
}

export function removeFolder(dir: string): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  hasRemoved(dir);
}
