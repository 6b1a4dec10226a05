import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export interface KillOrder {
  /** Only calls that name something in this folder count. */
  readonly folder: string;
  /** The process kills itself before this call, counted from 1; 0 only counts. */
  readonly at: number;
  /** Where the process writes, before it kills itself or at its end, which call it was and how many there were. */
  readonly proof: string;
}

/** What stands in the proof. */
export interface ShimProof {
  readonly calls: number;
  readonly killedBefore?: string;
}

const BY_PATH = ['mkdir', 'rename', 'unlink', 'rmdir', 'rm', 'truncate', 'writeFile', 'appendFile', 'link'];
const BY_FILE = ['write', 'writev', 'fsync', 'fdatasync', 'ftruncate'];

/**
 * Where no tracer may be used: replaces the functions of `node:fs` that change a disk, before the store is loaded, so that the
 * process dies by SIGKILL before the n-th of them. Sees nothing that native code or `node:fs/promises` does.
 */
export function killAt({ folder, at, proof }: KillOrder): void {
  const paths = new Map<number, string>();
  let calls = 0;
  const { writeFileSync: writeProof } = fs;
  const note = (killedBefore?: string) =>
    writeProof(proof, JSON.stringify({ calls, ...(killedBefore && { killedBefore }) } satisfies ShimProof));
  const original = { ...fs } as unknown as Record<string, (...args: unknown[]) => unknown>;
  const replaced = fs as unknown as Record<string, unknown>;
  const before = (call: string, path: string | undefined) => {
    if (path === undefined || !(path === folder || path.startsWith(`${folder}/`))) return;
    calls += 1;
    if (calls !== at) return;
    note(`${call} ${path}`);
    process.kill(process.pid, 'SIGKILL');
  };
  for (const name of BY_PATH) {
    for (const call of [name, `${name}Sync`]) {
      replaced[call] = (...args: unknown[]) => {
        before(call, String(args[0]));
        return original[call]?.(...args);
      };
    }
  }
  for (const name of BY_FILE) {
    for (const call of [name, `${name}Sync`]) {
      replaced[call] = (...args: unknown[]) => {
        before(call, paths.get(args[0] as number));
        return original[call]?.(...args);
      };
    }
  }
  replaced.openSync = (...args: unknown[]) => {
    const [path, flags] = args as [string, string | number];
    const isNew = typeof flags === 'string' ? /[wax]/.test(flags) : (flags & fs.constants.O_CREAT) !== 0;
    if (isNew) before('openSync', path);
    const file = original.openSync?.(...args) as number;
    paths.set(file, path);
    return file;
  };
  // One call of Node's, but not of the disk: a process can die between making the file and filling it.
  replaced.writeFileSync = (
    path: string,
    data: string | Uint8Array,
    options?: { flag?: string } | string,
  ) => {
    const flag = typeof options === 'object' ? options.flag : undefined;
    const file = (replaced.openSync as typeof fs.openSync)(path, flag ?? 'w');
    try {
      (replaced.writeSync as typeof fs.writeSync)(file, data as string);
    } finally {
      fs.closeSync(file);
    }
  };
  syncBuiltinESMExports();
  process.once('exit', () => note());
}
