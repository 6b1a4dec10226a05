import { createHash } from 'node:crypto';
import type { Random } from '../../world/random.js';
import { type Change, type DiskDirectory, type DiskFile, pendingChanges } from './disk.js';
import { setNames, withChanges } from './disk-events.js';

/** One thing that a power cut may leave. */
export interface Cut {
  readonly says: string;
  keeps(change: Change): boolean;
  /** In place of what was written, where names and lengths came through and data did not. */
  readonly data?: 'lost' | 'zero filled';
  /** The last write that is kept, cut at so many bytes. */
  readonly tornAt?: number;
}

/** What may be left at one moment. `random` adds so many arbitrary choices. */
export function cutsOf(
  disk: DiskDirectory,
  random?: { readonly random: Random; readonly count: number },
): readonly Cut[] {
  const changes = pendingChanges(disk);
  if (changes.length === 0) return [{ says: 'nothing was pending', keeps: () => true }];
  const isName = ({ kind }: Change) => kind === 'name';
  const directories = new Set(
    changes.flatMap((change) => (change.kind === 'name' ? [change.directory] : [])),
  );
  const isOf = (directory: DiskDirectory) => (change: Change) =>
    change.kind === 'name' && change.directory === directory;
  return [
    { says: 'nothing pending came through', keeps: () => false },
    { says: 'everything came through', keeps: () => true },
    ...changes.flatMap((change, at): Cut[] => [
      { says: `pending change ${at + 1} of ${changes.length} was lost`, keeps: (each) => each !== change },
      {
        says: `only pending change ${at + 1} of ${changes.length} came through`,
        keeps: (each) => each === change,
      },
    ]),
    { says: 'names came through, data did not', keeps: isName, data: 'lost' },
    { says: 'names and lengths came through, data is zero', keeps: isName, data: 'zero filled' },
    { says: 'the last write is torn at 512 bytes', keeps: () => true, tornAt: 512 },
    { says: 'the last write is torn at 4,096 bytes', keeps: () => true, tornAt: 4_096 },
    ...[...directories].flatMap((directory, at): Cut[] => [
      { says: `the names of directory ${at + 1} were lost`, keeps: (change) => !isOf(directory)(change) },
      {
        says: `of the names only those of directory ${at + 1} came through`,
        keeps: (change) => !isName(change) || isOf(directory)(change),
      },
    ]),
    ...Array.from({ length: random?.count ?? 0 }, (_, at) =>
      arbitraryCut(changes, at, random?.random as Random),
    ),
  ];
}

function arbitraryCut(changes: readonly Change[], at: number, random: Random): Cut {
  const kept = new Set(changes.filter(() => random.chance(0.5)));
  return {
    says: `arbitrary choice ${at + 1}: ${kept.size} of ${changes.length} came through`,
    keeps: (change) => kept.has(change),
  };
}

/** Files by their path in the folder; a directory ends in `/`. */
export type Tree = ReadonlyMap<string, Buffer>;

export function treeAfter(disk: DiskDirectory, cut: Cut): Tree {
  const tree = new Map<string, Buffer>();
  const last = pendingChanges(disk).findLast(
    (change) => change.kind === 'data' && change.write && cut.keeps(change),
  );
  const visit = (directory: DiskDirectory, path: string) => {
    const names = new Map(directory.onDisk);
    for (const change of directory.pending) if (cut.keeps(change)) setNames(names, change.names);
    for (const [name, node] of names) {
      if (node.kind === 'file') tree.set(path + name, contentAfter(node, cut, last));
      else {
        tree.set(`${path}${name}/`, Buffer.alloc(0));
        visit(node, `${path}${name}/`);
      }
    }
  };
  visit(disk, '');
  return tree;
}

function contentAfter(file: DiskFile, cut: Cut, last: Change | undefined): Buffer {
  if (cut.data === 'lost') return file.onDisk;
  if (cut.data === 'zero filled') {
    const zeros = file.pending.map(({ write, length }) => ({
      ...(write && { write: { offset: write.offset, bytes: Buffer.alloc(write.bytes.length) } }),
      ...(length !== undefined && { length }),
    }));
    return withChanges(file.onDisk, zeros);
  }
  const kept = file.pending.filter((change) => cut.keeps(change));
  return withChanges(
    file.onDisk,
    kept.map((change) =>
      change === last && cut.tornAt !== undefined ? torn(change.write, cut.tornAt) : change,
    ),
  );
}

function torn(write: { offset: number; bytes: Buffer } | undefined, at: number) {
  // A write shorter than a block is torn in its middle.
  const end = write && write.bytes.length > at ? at : Math.floor((write?.bytes.length ?? 0) / 2);
  return write ? { write: { offset: write.offset, bytes: write.bytes.subarray(0, end) } } : {};
}

export function digestOf(tree: Tree): string {
  const hash = createHash('sha1');
  for (const [path, bytes] of [...tree].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}
