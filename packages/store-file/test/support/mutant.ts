import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A text of the built store and what a mutant has instead. */
export interface Mutation {
  readonly file: string;
  readonly text: string;
  readonly becomes: string;
}

const ENTRY = fileURLToPath(import.meta.resolve('@lousho/store-file'));

/** A copy of the built store with one thing broken; the URL of its entry. */
export function mutant(dir: string, mutations: readonly Mutation[]): string {
  const dist = `${dir}/dist`;
  mkdirSync(dir, { recursive: true });
  cpSync(dirname(ENTRY), dist, { recursive: true });
  writeFileSync(`${dir}/package.json`, '{ "type": "module" }');
  symlinkSync(fileURLToPath(new URL('../../../../node_modules', import.meta.url)), `${dir}/node_modules`);
  for (const { file, text, becomes } of mutations) {
    const source = readFileSync(`${dist}/${file}`, 'utf8');
    if (!source.includes(text)) throw new Error(`${file} has no text to mutate: ${text}`);
    writeFileSync(`${dist}/${file}`, source.replace(text, becomes));
  }
  return pathToFileURL(`${dist}/index.js`).href;
}

export const STORE = import.meta.resolve('@lousho/store-file');
