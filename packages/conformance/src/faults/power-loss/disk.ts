import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

export type DiskNode = DiskFile | DiskDirectory;

/** A change that is not on disk yet: a power cut may keep it or lose it. */
export type Change = DataChange | NameChange;

export interface DataChange {
  readonly kind: 'data';
  readonly file: DiskFile;
  /** Bytes written at an offset, or a new length. */
  readonly write?: { readonly offset: number; readonly bytes: Buffer };
  readonly length?: number;
  readonly at: number;
}

export interface NameChange {
  readonly kind: 'name';
  readonly directory: DiskDirectory;
  /** Names set to what they name, `null` where the name goes away. */
  readonly names: readonly (readonly [name: string, node: DiskNode | null])[];
  readonly at: number;
}

export interface DiskFile {
  readonly kind: 'file';
  onDisk: Buffer;
  length: number;
  pending: DataChange[];
}

export interface DiskDirectory {
  readonly kind: 'directory';
  readonly onDisk: Map<string, DiskNode>;
  /** As the running processes see it. */
  readonly names: Map<string, DiskNode>;
  pending: NameChange[];
}

export function newFile(onDisk: Buffer = Buffer.alloc(0)): DiskFile {
  return { kind: 'file', onDisk, length: onDisk.length, pending: [] };
}

export function newDirectory(): DiskDirectory {
  return { kind: 'directory', onDisk: new Map(), names: new Map(), pending: [] };
}

/** A folder's content, all of it on disk. */
export function readDisk(folder: string): DiskDirectory {
  const directory = newDirectory();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const node = entry.isDirectory() ? readDisk(path) : newFile(readFileSync(path));
    directory.onDisk.set(entry.name, node);
    directory.names.set(entry.name, node);
  }
  return directory;
}

/** What a process finds under a path, seen from the folder that is the disk; `undefined` for what is not there or not in it. */
export function findNode(disk: DiskDirectory, folder: string, path: string): DiskNode | undefined {
  const inside = relative(folder, path);
  if (inside === '') return disk;
  let node: DiskNode | undefined = disk;
  for (const name of inside.split(sep)) node = node?.kind === 'directory' ? node.names.get(name) : undefined;
  return node;
}

export function findParent(
  disk: DiskDirectory,
  folder: string,
  path: string,
): readonly [directory: DiskDirectory | undefined, name: string] {
  const node = findNode(disk, folder, dirname(path));
  return [node?.kind === 'directory' ? node : undefined, basename(path)];
}

/** Every change that a power cut may lose, in the order in which it was made. */
export function pendingChanges(disk: DiskDirectory): readonly Change[] {
  const changes: Change[] = [];
  const seen = new Set<DiskNode>();
  const visit = (node: DiskNode) => {
    if (seen.has(node)) return;
    seen.add(node);
    changes.push(...node.pending);
    if (node.kind === 'file') return;
    // What was removed but not durably so can come back, with its content.
    for (const each of [...node.onDisk.values(), ...node.names.values()]) visit(each);
    for (const { names } of node.pending) for (const [, each] of names) if (each) visit(each);
  };
  visit(disk);
  return changes.sort((a, b) => a.at - b.at);
}
