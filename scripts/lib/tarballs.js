/**
 * Packs the published packages as npm would and lets publint and attw read the tarballs: what users get, not what lies on disk.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { runProgram } from './run-program.js';
import { ROOT } from './workspace.js';

/**
 * @param {Record<string, object>} published folder to package.json
 * @returns {Promise<string[]>}
 */
export async function tarballProblems(published) {
  const folder = await mkdtemp(join(tmpdir(), 'lousho-pack-'));
  try {
    const names = Object.values(published).map(({ name }) => name);
    const importable = new Set(
      Object.values(published).flatMap(({ name, exports }) => (exports ? [name] : [])),
    );
    const packed = await packTarballs(names, folder);
    const problems = [];
    for (const [name, tarball] of Object.entries(packed)) {
      problems.push(...(await askPublint(name, tarball)));
      // Types of a program that nobody imports are nobody's.
      if (importable.has(name)) problems.push(...(await askAttw(name, tarball)));
    }
    return problems;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Packs packages of the workspace into a folder.
 * @returns {Promise<Record<string, string>>} name to the tarball's path
 */
export async function packTarballs(names, folder) {
  const workspaces = names.flatMap((name) => ['--workspace', name]);
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...workspaces];
  const { stdout } = await runProgram('npm', args, { cwd: ROOT });
  return Object.fromEntries(
    Object.values(JSON.parse(stdout)).map(({ name, filename }) => [name, join(folder, filename)]),
  );
}

async function askPublint(name, tarball) {
  const bytes = new Uint8Array(await readFile(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer } });
  return messages.map((message) => `${name}: publint: ${formatMessage(message, pkg, { color: false })}`);
}

/** `esm-only`: the packages have no CommonJS on purpose. */
async function askAttw(name, tarball) {
  const attw = join(ROOT, 'node_modules/.bin/attw');
  const args = [tarball, '--profile', 'esm-only', '--format', 'ascii', '--no-color', '--no-emoji'];
  try {
    await runProgram(attw, [...args, '--no-definitely-typed'], { cwd: ROOT });
    return [];
  } catch (error) {
    return [`${name}: attw:\n${error.message}`];
  }
}
