import { describe, expect, it } from 'vitest';
import { killPoints, spread } from '../../src/faults/kill/kill-points.js';
import { bytesOf, fileOf, parseTrace, textOf } from '../../src/faults/trace/strace-line.js';

const TRACE = String.raw`
100 openat(AT_FDCWD</home>, "/data/a.log", O_RDWR|O_CREAT|O_APPEND, 0600) = 18</data/a.log>
100 write(18</data/a.log>, "one, \"two\"\n\0\303\244", 15) = 15
101 write(9<anon_inode:[eventfd]>, "\1\0\0\0\0\0\0\0", 8) = 8
101 fdatasync(18</data/a.log> <unfinished ...>
100 write(3</journal>, "{}\n", 3)     = 3
101 <... fdatasync resumed>)            = 0
100 openat(AT_FDCWD</home>, "/data/a.log", O_RDONLY) = 19</data/a.log>
100 unlink("/data/b(1).log")            = -1 ENOENT (No such file or directory)
100 write(18</data/a.log>, "x", 1 <unfinished ...>
101 +++ killed by SIGKILL +++
`;

describe('what strace wrote', () => {
  const { calls, exitCode, killedBy } = parseTrace(TRACE);

  it('is read call by call, in the order of their ends', () => {
    expect(calls.map(({ pid, name, ordinal, result }) => [pid, name, ordinal, result])).toEqual([
      [100, 'openat', 1, '18</data/a.log>'],
      [100, 'write', 1, '15'],
      [101, 'write', 1, '8'],
      [100, 'write', 2, '3'],
      [101, 'fdatasync', 1, '0'],
      [100, 'openat', 2, '19</data/a.log>'],
      [100, 'unlink', 1, '-1 ENOENT (No such file or directory)'],
      [100, 'write', 3, undefined],
    ]);
    expect([exitCode, killedBy]).toEqual([undefined, 'SIGKILL']);
  });

  it('says how a process ended that nobody killed', () => {
    const { exitCode, killedBy } = parseTrace('101 +++ exited with 3 +++\n100 +++ exited with 3 +++\n');
    expect([exitCode, killedBy]).toEqual([3, undefined]);
  });

  it('gives bytes back as they were written, and paths', () => {
    expect(bytesOf(calls[1]?.args[1])).toEqual(Buffer.from('one, "two"\n\0ä'));
    expect(fileOf(calls[1]?.args[0])).toBe('/data/a.log');
    expect(textOf(calls[6]?.args[0])).toBe('/data/b(1).log');
  });

  it('names each call that changes a folder, by its number in its thread', () => {
    const points = killPoints(parseTrace(TRACE), '/data').map(({ call, ordinal }) => `${call} ${ordinal}`);
    expect(points).toEqual(['openat 1', 'write 1', 'fdatasync 1', 'unlink 1', 'write 3']);
  });
});

it('points are spread over the whole, the first and the last of each kind among them', () => {
  const points = Array.from({ length: 100 }, (_, at) => ({ call: at % 10 === 3 ? 'fsync' : 'write', at }));
  const chosen = spread(points, 10);
  expect(chosen).toHaveLength(10);
  expect(chosen.map(({ at }) => at)).toEqual(expect.arrayContaining([0, 3, 93, 99]));
  expect(Math.max(...chosen.map(({ at }, index) => at - (chosen[index - 1]?.at ?? 0)))).toBeLessThan(40);
});
