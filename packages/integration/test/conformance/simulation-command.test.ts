import { afterEach, describe, expect, it, vi } from 'vitest';
import { run } from '../../dist/conformance/commands/simulate.js';

const lines: string[] = [];

async function output(...args: string[]): Promise<{ exitCode: number; text: string }> {
  lines.length = 0;
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  const exitCode = await run(args);
  return { exitCode, text: lines.join('\n') };
}

describe('npm run conformance -- simulate', () => {
  afterEach(() => vi.restoreAllMocks());

  it('prints what many schedules came to, world by world', async () => {
    const { exitCode, text } = await output('--schedules', '5', '--seed', '1000');
    expect(exitCode).toBe(0);
    expect(text.split('\n').map((line) => line.split(' ')[0])).toEqual(['reference', 'memory', 'file']);
    expect(text).toMatch(/\d+\/s on \d+ cores, \d+\/s of one core's time; .* virtual hours.*; 0 violations/);
  });

  // Each thread loads everything anew.
  it('goes the same way on one core and on three', { timeout: 120_000 }, async () => {
    const figures = async (cores: string) => {
      const { text } = await output('--schedules', '40', '--world', 'memory', '--cores', cores);
      return /each .*/.exec(text)?.[0];
    };
    const one = await figures('1');
    expect(one).toMatch(/^each [\d.]+ events, .* stalls; 0 violations$/);
    expect(await figures('3')).toBe(one);
  });

  it('runs a seed twice and prints its hash', async () => {
    const { exitCode, text } = await output('--seed', '7', '--world', 'memory');
    expect(exitCode).toBe(0);
    expect(text).toMatch(/^memory +seed 7: hash [0-9a-f]{16}, the same again; \d+ events, 0 violations$/);
    expect((await output('--seed', '7', '--world', 'memory')).text).toBe(text);
  });

  it('says how fast histories are judged', async () => {
    const { exitCode, text } = await output('--checker', '--schedules', '5', '--world', 'reference');
    expect(exitCode).toBe(0);
    expect(text).toMatch(/^\d+ histories of \d+ calls: \d+\/s, 0 undecided$/);
  });

  it.each([[['--world', 'moon']], [['--schedules', 'many']], [['--seed', 'x']], [['--cores', 'all']]])(
    'explains itself for %j',
    async (args) => {
      const { exitCode, text } = await output(...args);
      expect(exitCode).toBe(2);
      expect(text).toMatch(/^npm run conformance -- simulate /);
    },
  );
});
