import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ProcessMark } from './process-tree.js';

export type Entry =
  | { readonly watch: ProcessMark }
  | { readonly forget: number }
  | { readonly keep: string }
  | { readonly dropped: string };

let undertaker: ChildProcess | undefined;

/** Ends the server should this process die without having stopped it. */
export function watch(mark: ProcessMark): void {
  tell({ watch: mark });
}

export function forget(pid: number): void {
  tell({ forget: pid });
}

/** Removes the folder should this process die without having done so. */
export function willRemove(dir: string): void {
  tell({ keep: dir });
}

export function hasRemoved(dir: string): void {
  tell({ dropped: dir });
}

function tell(entry: Entry): void {
  undertaker ??= startUndertaker();
  undertaker.stdin?.write(`${JSON.stringify(entry)}\n`);
}

function startUndertaker(): ChildProcess {
  const script = fileURLToPath(new URL('undertaker-process.js', import.meta.url));
  // Detached: an interrupt from the keyboard ends the tests, and this process must outlive them.
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  child.stdin.on('error', () => {});
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}
