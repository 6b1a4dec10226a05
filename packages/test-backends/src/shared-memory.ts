import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A killed Postgres leaves a small System V segment behind; its number is in the last line of the lock file that it left too. */
export function removeSharedMemory(dir: string): void {
  try {
    const [, id] =
      readFileSync(join(dir, 'data', 'postmaster.pid'), 'utf8').match(/^[ \t]*\d+[ \t]+(\d+)[ \t]*$/m) ?? [];
    if (id) spawnSync('ipcrm', ['-m', id], { stdio: 'ignore' });
  } catch {
    // Stopped in order, or no Postgres.
  }
}
