import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ErrorCode, SDKError } from '@lousho/core/contract';
import { ROOT } from '../../docs/support/pages.js';
import { temporaryFolder } from './temporary-folder.js';

/** Installs a store in an empty folder, takes parts of its driver away, and opens it there, in a process of its own. */
export async function packageWithout(
  store: string,
  driver: string,
  parts: readonly string[],
): Promise<SDKError> {
  const modules = join(temporaryFolder(), 'node_modules');
  mkdirSync(join(modules, '@lousho'), { recursive: true });
  for (const name of ['core', store]) {
    const from = join(ROOT, 'packages', name);
    for (const part of ['package.json', 'dist']) {
      cpSync(join(from, part), join(modules, '@lousho', name, part), { recursive: true });
    }
  }
  cpSync(join(ROOT, 'node_modules', driver), join(modules, driver), { recursive: true });
  for (const part of parts) rmSync(join(modules, driver, part), { recursive: true, force: true });
  for (const name of ['bindings', 'file-uri-to-path']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  const script = join(modules, '..', 'open.mjs');
  writeFileSync(script, SCRIPT);
  const { stdout } = await promisify(execFile)(process.execPath, [script, `@lousho/${store}`]);
  const { code, detail, hint, retryable } = JSON.parse(stdout) as Record<string, string> & {
    retryable: boolean;
  };
  // Made again here: the fields are what came over the pipe.
  return new SDKError(code as ErrorCode, String(detail), { hint: String(hint), retryable });
}

const SCRIPT = `
import { SDKError } from '@lousho/core/contract';
const { SqliteStore } = await import(process.argv[2]);
try {
  new SqliteStore(':memory:');
} catch (error) {
  if (!(error instanceof SDKError)) throw error;
  console.log(JSON.stringify({ ...error, message: error.message }));
}
`;
