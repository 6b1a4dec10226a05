import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigurationError } from '@lousho/core/contract';
import { networkFileSystem } from './network-file-system.js';

/**
 * Makes sure that a private, writable file is there, without changing one that exists, and returns its absolute path. Throws
 * `LOUSHO_CONFIG_INVALID` where no database can be kept, and the file system's own error otherwise.
 */
export function prepareFile(path: string): string {
  const file = resolve(path);
  const folder = dirname(file);
  assertLocal(file);
  if (existsSync(file) && !statSync(file).isFile()) throw notFile(`${file}, which is none`);
  const nearest = nearestExisting(folder);
  if (!statSync(nearest).isDirectory()) throw notFile(`${file}, which leads through the file ${nearest}`);
  createFolder(folder);
  const isNew = !existsSync(file);
  // For writing: SQLite would open a file that it may not write read-only, without a word.
  closeSync(openSync(file, 'a', 0o600));
  if (isNew) syncFolder(folder);
  return file;
}

function notFile(got: string): ConfigurationError {
  return new ConfigurationError(`Expected \`path\` to name a file, got ${got}`, {
    field: 'path',
    hint: 'Name a file in a folder that exists or can be made, such as ./data/runs.db.',
  });
}

function assertLocal(file: string): void {
  if (process.platform !== 'linux') return;
  const fileSystem = networkFileSystem(statfsSync(nearestExisting(file)).type);
  if (fileSystem) {
    throw new ConfigurationError(
      `Expected \`path\` to be on a local file system, got ${file} on ${fileSystem}: an SQLite database that several processes write can be damaged there`,
      { field: 'path' },
    );
  }
}

function nearestExisting(path: string): string {
  let at = path;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

function createFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  // A folder's name is durable once its parent is synced.
  for (let at = folder; ; at = dirname(at)) {
    syncFolder(dirname(at));
    if (at === first || dirname(at) === at) return;
  }
}

function syncFolder(folder: string): void {
  // Windows opens no folders; it keeps names durable by itself.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
