import { describe, expect, it } from 'vitest';
import { cutsOf, treeAfter } from '../../src/faults/power-loss/cuts.js';
import { newDirectory } from '../../src/faults/power-loss/disk.js';
import { DiskReplay } from '../../src/faults/power-loss/disk-events.js';
import { parseTrace } from '../../src/faults/trace/strace-line.js';

describe('a power cut', () => {
  it('may lose a name that was not synced, and the bytes of a file that was not', () => {
    const left = cut('openat new', 'write');
    expect(left('nothing pending came through')).toEqual({});
    expect(left('everything came through')).toEqual({ 'a.log': 'data' });
    expect(left('names came through, data did not')).toEqual({ 'a.log': '' });
    expect(left('names and lengths came through, data is zero')).toEqual({ 'a.log': '\0\0\0\0' });
    expect(left('the last write is torn at 512 bytes')).toEqual({ 'a.log': 'da' });
  });

  it('keeps what was synced: the bytes by the file, the name by its directory', () => {
    expect(cut('openat new', 'write', 'fsync file')('nothing pending came through')).toEqual({});
    const left = cut('openat new', 'write', 'fsync file', 'openat folder', 'fsync folder');
    expect(left('nothing was pending')).toEqual({ 'a.log': 'data' });
  });

  it('may undo a rename and a removal that were not synced', () => {
    const synced = ['openat new', 'write', 'fsync file', 'openat folder', 'fsync folder'] as const;
    expect(cut(...synced, 'rename')('nothing pending came through')).toEqual({ 'a.log': 'data' });
    expect(cut(...synced, 'rename')('everything came through')).toEqual({ 'b.log': 'data' });
    expect(cut(...synced, 'unlink')('nothing pending came through')).toEqual({ 'a.log': 'data' });
    expect(cut(...synced, 'unlink')('everything came through')).toEqual({});
  });

  it('loses what a sync failed to bring to disk, although a later one succeeds, until it is written again', () => {
    const named = [
      'openat new',
      'openat folder',
      'fsync folder',
      'write',
      'failing fsync',
      'fsync file',
    ] as const;
    expect(cut(...named)('nothing was pending')).toEqual({ 'a.log': '' });
    expect(cut(...named, 'write again', 'fsync file')('nothing was pending')).toEqual({ 'a.log': 'data' });
  });

  it('may lose each pending change by itself, and leaves a hole where a later one came through', () => {
    const left = cut('openat new', 'openat folder', 'fsync folder', 'write', 'write');
    expect(left('pending change 1 of 2 was lost')).toEqual({ 'a.log': '\0\0\0\0data' });
    expect(left('only pending change 1 of 2 came through')).toEqual({ 'a.log': 'data' });
  });
});

const LINES = {
  'openat new': 'openat(AT_FDCWD</x>, "/disk/a.log", O_WRONLY|O_CREAT|O_EXCL, 0600) = 5</disk/a.log>',
  'openat folder': 'openat(AT_FDCWD</x>, "/disk", O_RDONLY) = 6</disk>',
  write: 'write(5</disk/a.log>, "data", 4) = 4',
  'write again': 'pwrite64(5</disk/a.log>, "data", 4, 0) = 4',
  'failing fsync': 'fdatasync(5</disk/a.log>) = -1 EIO (Input/output error) (INJECTED)',
  'fsync file': 'fdatasync(5</disk/a.log>) = 0',
  'fsync folder': 'fsync(6</disk>) = 0',
  rename: 'rename("/disk/a.log", "/disk/b.log") = 0',
  unlink: 'unlink("/disk/a.log") = 0',
} as const;

/** Files by name after a cut that follows these calls. */
function cut(...lines: readonly (keyof typeof LINES)[]) {
  const disk = newDirectory();
  const replay = new DiskReplay(disk, '/disk');
  for (const call of parseTrace(lines.map((line) => `1 ${LINES[line]}`).join('\n')).calls) replay.apply(call);
  return (says: string) => {
    const found = cutsOf(disk).find((each) => each.says === says);
    if (!found) throw new Error(`there is no cut in which ${says}`);
    return Object.fromEntries([...treeAfter(disk, found)].map(([path, bytes]) => [path, bytes.toString()]));
  };
}
