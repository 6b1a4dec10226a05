import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { StorageState } from './storage-state.js';

/** What a process did to a storage, in order, as it stands on disk however the process ended. */
export type JournalEntry =
  | { readonly k: 'started'; readonly pid: number }
  /** About to be asked of the store. */
  | { readonly k: 'call'; readonly n: number; readonly path: string; readonly args: readonly unknown[] }
  | { readonly k: 'answer'; readonly n: number; readonly answer?: unknown }
  | { readonly k: 'refused'; readonly n: number; readonly code?: string; readonly message: string }
  /** Something outside the storage that cannot be taken back. */
  | { readonly k: 'effect'; readonly name: string }
  /** What the process itself saw in the storage after a refusal. */
  | { readonly k: 'saw'; readonly state?: StorageState; readonly code?: string; readonly message?: string }
  | { readonly k: 'note'; readonly text: string }
  | { readonly k: 'done' };

export type Tell = (entry: JournalEntry) => void;

/** Appends to a journal outside the storage, one line for each entry. A line is there once this returns, whatever happens next. */
export function openJournal(path: string): { readonly tell: Tell; close(): void } {
  const file = openSync(path, 'a');
  return {
    tell: (entry) => void writeSync(file, `${JSON.stringify(entry)}\n`),
    close: () => closeSync(file),
  };
}

/** Nothing when the process did not come to begin one. */
export function readJournal(path: string): readonly JournalEntry[] {
  return existsSync(path) ? parseJournal(readFileSync(path, 'utf8')) : [];
}

/** A last line that was cut off was never told. */
export function parseJournal(text: string): readonly JournalEntry[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as JournalEntry);
}
