/** What an install brings: packages, bytes, install scripts, time. */
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../run-program.js';
import { median } from './median.js';

const QUIET = ['--no-audit', '--no-fund', '--loglevel', 'error'];

/** Installs tarballs into an empty folder, several times; the last install stays. */
export async function measureInstall(folder, tarballs, rounds) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    times.push((await runProgram('npm', ['install', ...QUIET, ...tarballs], { cwd: folder })).ms);
  }
  return { ...(await whatIsInstalled(folder)), ms: median(times) };
}

/** What stands in a folder's `node_modules`. */
export async function whatIsInstalled(folder) {
  const lock = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  const packages = Object.entries(lock.packages);
  return {
    packages: packages.length,
    scripts: packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path),
    megabytes: (await bytesIn(join(folder, 'node_modules'))) / 1e6,
  };
}

async function bytesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
