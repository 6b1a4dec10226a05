import { describe, expect, it } from 'vitest';
import { runCrash } from '../crash/run-crash.js';

const isDeep = process.env.DEEP === '1';
const SMALL = isDeep ? [] : ['--rounds', '3'];
const TIMEOUT_MS = isDeep ? 600_000 : 60_000;

describe('a webhook that is delivered 64 times at once to 8 processes', () => {
  it(
    'runs one job each time',
    async () => {
      const { code, output } = await runCrash(['webhook', '--store', 'file,sqlite', ...SMALL]);
      expect(output).toContain('Everything as promised.');
      expect(output).not.toContain('✗');
      expect(output).toMatch(/promised +file +sqlite/);
      expect(code).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'runs more than one on a store that gives its lease to everybody, and the command says so',
    async () => {
      const { code, output } = await runCrash(
        ['webhook', '--store', 'sqlite', '--rounds', '2'],
        'lease-for-all',
      );
      const lines = output.split('\n');
      for (const label of ['effects of a job, by step', 'model calls of a job'])
        expect(lines.find((line) => line.includes(label))).toContain('✗');
      expect(code).toBe(1);
    },
    TIMEOUT_MS,
  );

  it('needs several processes', async () => {
    const { output } = await runCrash(['webhook', '--store', 'memory', '--rounds', '1']);
    expect(output).toContain('needs several processes');
  });
});
