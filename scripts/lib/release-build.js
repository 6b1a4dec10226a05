/** Packs what would be published, from a workspace that is afterwards as it was. */
import { join } from 'node:path';
import { runProgram } from './run-program.js';
import { packTarballs } from './tarballs.js';
import { ROOT } from './workspace.js';

/**
 * Builds for a release, packs, and brings the build of every day back.
 * @returns {Promise<Record<string, string>>} name to the tarball's path
 */
export async function packRelease(names, folder) {
  try {
    await runProgram('npm', ['run', 'build:release'], { cwd: ROOT });
    return await packTarballs(names, folder);
  } finally {
    await runProgram(process.execPath, [join(ROOT, 'scripts/clean.js')]);
    await runProgram(join(ROOT, 'node_modules/.bin/tsc'), ['-b'], { cwd: ROOT });
  }
}
