/**
 * Reads the workspace from disk: its packages and their source files. Paths are relative to the root, with forward slashes.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** @returns {Record<string, object>} folder below `packages/` to its package.json */
export function readManifests() {
  const names = readdirSync(join(ROOT, 'packages')).sort();
  const entries = names.filter((name) => existsSync(join(ROOT, 'packages', name, 'package.json')));
  return Object.fromEntries(entries.map((name) => [name, readJson(`packages/${name}/package.json`)]));
}

/** @returns {Record<string, string>} path to text of each TypeScript file below `packages/<name>/src` */
export function readSources(packageName) {
  const folder = `packages/${packageName}/src`;
  if (!existsSync(join(ROOT, folder))) return {};
  const names = readdirSync(join(ROOT, folder), { recursive: true }).filter((name) => /\.m?ts$/.test(name));
  const paths = names.map((name) => `${folder}/${name.replaceAll('\\', '/')}`).sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

export function readJson(path) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}
