import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/** Where a storage lies on this machine's disk. */
export interface Place {
  readonly folder: string;
  readonly config: unknown;
}

/**
 * The folder that holds a storage, found by the absolute path in its config: the path itself where it is a folder, else the folder
 * that it is in. `undefined` for a storage that is elsewhere, such as a server's.
 */
export function placeOf(config: unknown): Place | undefined {
  const path = pathsIn(config)[0];
  if (path === undefined) return undefined;
  const folder = existsSync(path) && statSync(path).isDirectory() ? path : dirname(path);
  return existsSync(folder) ? { folder, config } : undefined;
}

/** A copy of the storage in `target`, which is emptied before, and the config that opens it. */
export function copyTo(place: Place, target: string): Place {
  emptyFolder(target);
  cpSync(place.folder, target, { recursive: true });
  return movedTo(place, target);
}

/** The same storage, if its files were in `target`. */
export function movedTo({ folder, config }: Place, target: string): Place {
  const moved = mapped(config, (text) =>
    text === folder || text.startsWith(`${folder}/`) ? target + text.slice(folder.length) : text,
  );
  return { folder: target, config: moved };
}

export function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  return realpathSync(path);
}

/** Every file under a folder, by its path in it. */
export function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

function pathsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return isAbsolute(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapped(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapped(each, change)]));
}
