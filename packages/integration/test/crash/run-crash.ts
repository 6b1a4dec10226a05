import { spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const CLI = fileURLToPath(new URL('../../dist/crash/cli.js', import.meta.url));

export interface CrashRun {
  readonly code: number | null;
  readonly output: string;
}

/** Runs the command as its users do. `broken` names a fixture that breaks the stores in all of its processes. */
export async function runCrash(args: readonly string[], broken?: string): Promise<CrashRun> {
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(broken && { NODE_OPTIONS: `--import ${fixture(broken)}` }) },
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, output };
}

function fixture(name: string): string {
  return pathToFileURL(fileURLToPath(new URL(`./fixtures/${name}.mjs`, import.meta.url))).href;
}
