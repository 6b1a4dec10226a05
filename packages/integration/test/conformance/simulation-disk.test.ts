import type { Seat } from '@lousho/conformance/simulation';
import { describe, expect, it } from 'vitest';
import { diskFs } from '../../dist/conformance/simulation/disk-fs.js';
import { MemoryDisk } from '../../dist/conformance/simulation/memory-disk.js';

const O_RDWR_APPEND = 0o2002;

function seat(overrides: Partial<Seat> = {}): Seat {
  const clock = { now: () => 0, monotonic: () => 0 };
  return { clock, point: async () => {}, isDead: false, dies: () => false, ...overrides };
}

function textOf(fs: ReturnType<typeof diskFs>, path: string): string {
  const fd = fs.openSync(path, 'r');
  const bytes = Buffer.alloc(200);
  return bytes.toString('latin1', 0, fs.readSync(fd, bytes, 0, 200, 0));
}

describe('the disk in memory', () => {
  it('appends where a file ends, whoever wrote last', () => {
    const disk = new MemoryDisk();
    const [a, b] = [diskFs(disk, seat()), diskFs(disk, seat())];
    a.mkdirSync('/x/y', { recursive: true });
    a.closeSync(a.openSync('/x/y/log', 'wx'));
    const [first, second] = [a.openSync('/x/y/log', O_RDWR_APPEND), b.openSync('/x/y/log', O_RDWR_APPEND)];
    a.writeSync(first, Buffer.from('one '));
    b.writeSync(second, Buffer.from('two '));
    a.writeSync(first, Buffer.from('three'));
    expect(textOf(b, '/x/y/log')).toBe('one two three');
    expect(a.fstatSync(first)).toMatchObject({ size: 13, nlink: 1 });
  });

  it('refuses what Linux refuses', () => {
    const fs = diskFs(new MemoryDisk(), seat());
    const codeOf = (work: () => unknown) => {
      try {
        work();
        return 'done';
      } catch (error) {
        return (error as NodeJS.ErrnoException).code;
      }
    };
    fs.mkdirSync('/full');
    fs.closeSync(fs.openSync('/full/file', 'wx'));
    fs.mkdirSync('/empty');
    fs.mkdirSync('/new');
    expect([
      codeOf(() => fs.openSync('/none', 'r')),
      codeOf(() => fs.openSync('/full/file', 'wx')),
      codeOf(() => fs.mkdirSync('/full')),
      codeOf(() => fs.rmdirSync('/full')),
      codeOf(() => fs.renameSync('/new', '/full')),
      codeOf(() => fs.renameSync('/new', '/empty')),
      codeOf(() => fs.readdirSync('/full/file')),
      codeOf(() => fs.unlinkSync('/none')),
    ]).toEqual(['ENOENT', 'EEXIST', 'EEXIST', 'ENOTEMPTY', 'ENOTEMPTY', 'done', 'ENOTDIR', 'ENOENT']);
  });

  it('a file without a name lives on for who has it open', () => {
    const fs = diskFs(new MemoryDisk(), seat());
    fs.mkdirSync('/d');
    const fd = fs.openSync('/d/f', 'wx');
    fs.writeSync(fd, Buffer.from('text'));
    fs.unlinkSync('/d/f');
    expect(fs.fstatSync(fd)).toMatchObject({ size: 4, nlink: 0 });
    expect(fs.readdirSync('/d')).toEqual([]);
  });

  it('a process that is killed in a write leaves a part of it, and does nothing more', () => {
    const disk = new MemoryDisk();
    const other = diskFs(disk, seat());
    let isDead = false;
    const mortal: Seat = {
      clock: seat().clock,
      point: seat().point,
      dies: (name) => {
        isDead = name === 'write';
        return isDead;
      },
      get isDead() {
        return isDead;
      },
    };
    const fs = diskFs(disk, mortal);
    fs.mkdirSync('/d');
    const fd = fs.openSync('/d/f', 'wx');
    expect(() => fs.writeSync(fd, Buffer.alloc(150, 'x'))).toThrow(/dead/);
    expect(textOf(other, '/d/f')).toBe('x'.repeat(64));
    expect(() => fs.unlinkSync('/d/f')).toThrow(/dead/);
    expect(other.readdirSync('/d')).toEqual(['f']);
  });
});
