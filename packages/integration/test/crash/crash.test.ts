import { describe, expect, it } from 'vitest';
import { runCrash } from './run-crash.js';

const isDeep = process.env.DEEP === '1';
// Beside other tests the machine is not the run's alone: what time it takes is told by the command itself, on a machine at rest.
const SMALL = [...(isDeep ? [] : ['--rounds', '2', '--processes', '4']), '--untimed'];
const TIMEOUT_MS = isDeep ? 600_000 : 240_000;

describe('with real processes that are killed and stopped', () => {
  it.each([
    ['A', 'of many processes that approve one call at once one runs it', 'file,sqlite'],
    [
      'B',
      'an approved call whose process dies in it never runs again, and nobody is asked again',
      'file,sqlite',
    ],
    ['C', 'a zombie owner starts nothing more and changes nothing', 'memory,file,sqlite'],
    ['D', 'a process that dies at any store call leaves a run that repeats nothing', 'memory,file,sqlite'],
    ['E', 'replicas finish the runs of a killed one, each once', 'file,sqlite'],
    ['F', 'a long run is stored in at most three times its data', 'file,sqlite,dynamodb'],
    ['resumers', 'of many processes that resume a run one runs it', 'file,sqlite'],
    ['restart', 'a restarted process goes on at once, and never while the first one lives', 'file,sqlite'],
  ])(
    '%s: %s',
    async (test, _, stores) => {
      const { code, output } = await runCrash([test, '--store', stores, ...SMALL]);
      expect(output).toContain('Everything as promised.');
      expect(output).not.toContain('✗');
      for (const store of stores.split(',')) expect(output).toMatch(new RegExp(`promised.* ${store}\\b`));
      expect(code).toBe(0);
    },
    TIMEOUT_MS,
  );
});

describe('with --untimed', () => {
  it(
    'durations are told without a limit, and all else is judged',
    async () => {
      const { output } = await runCrash(['restart', '--store', 'sqlite', '--rounds', '1', '--untimed']);
      const line = output.split('\n').find((one) => one.includes('start of process 2 to the tool (slowest)'));
      expect(line).toMatch(/\d ms/);
      expect(line).not.toContain('<=');
      expect(output).toMatch(/run finished by process 2 +1 +1/);
    },
    TIMEOUT_MS,
  );
});

describe('with --skew', () => {
  const [hours, monotonic] = [
    'wall clocks of the child processes',
    "child processes whose monotonic clock is the host's",
  ];
  const lineOf = (output: string, label: string) => output.split('\n').find((line) => line.includes(label));

  it(
    'child processes have wall clocks an hour behind, right, and an hour ahead, and servers keep their promises',
    async () => {
      const { code, output } = await runCrash(['C', '--rounds', '2', '--store', 'postgres,redis', '--skew']);
      expect(output).not.toContain('✗');
      // What is promised, and what was read on each store.
      expect(lineOf(output, hours)?.split('2 × -1 h, 1 × 0 h, 1 × +1 h')).toHaveLength(1 + 3);
      expect(lineOf(output, monotonic)?.match(/ 4\b/g)).toHaveLength(3);
      expect(output).toContain('Child processes whose wall clock was an hour off: 6');
      expect(code).toBe(0);
    },
    TIMEOUT_MS,
  );

  it.each([
    ['right-clock', hours],
    ['all-clocks-off', monotonic],
  ])(
    'a run with %s is a failure',
    async (fixture, label) => {
      const { code, output } = await runCrash(['C', '--rounds', '1', '--store', 'sqlite', '--skew'], fixture);
      expect(lineOf(output, label)).toContain('✗');
      expect(code).toBe(1);
    },
    TIMEOUT_MS,
  );

  it('a run without a child process is a failure', async () => {
    const { code, output } = await runCrash(['C', '--rounds', '1', '--store', 'memory', '--skew']);
    expect(output).toContain('Child processes whose wall clock was an hour off: ✗ none');
    expect(code).toBe(1);
  });
});

describe('the crash tests find a broken store', () => {
  it.each([
    ['A', 'decide-for-all', ['effects of the approved call', 'processes that went on']],
    ['B', 'write-behind', ['effects of the approved call', 'interrupted results in the transcripts']],
    ['C', 'no-fence', ['model and tool calls by the zombie', 'changed by the zombie: history entries']],
    [
      'D',
      'write-behind',
      ['killed after a call: tools not run exactly once', 'killed before a call: tools not run exactly once'],
    ],
    ['resumers', 'lease-for-all', ['one ran it, all others LOUSHO_SESSION_BUSY', 'step 3: effects']],
    ['restart', 'lease-for-all', ['process 1 busy: tries refused', 'process 1 stopped: tries refused']],
  ])(
    '%s on a store with %s fails at %j',
    async (test, broken, labels) => {
      const small = ['--rounds', '1', '--processes', '3'];
      const { code, output } = await runCrash([test, '--store', 'sqlite', ...small], broken);
      for (const label of labels) {
        expect(output.split('\n').find((line) => line.includes(label))).toContain('✗');
      }
      expect(code).toBe(1);
    },
    TIMEOUT_MS,
  );
});

describe('wrong arguments', () => {
  it.each([
    [['Q'], 'Unknown test Q; there are A, B, C, D, E, F, resumers, restart'],
    [
      ['C', '--store', 'mongo'],
      'Unknown store mongo; there are memory, file, sqlite, postgres, redis, dynamodb',
    ],
    [['C', '--store'], 'Unknown store (none)'],
    [['C', '--fast'], 'Unknown option --fast'],
    [['C', '--rounds', '0'], 'Expected --rounds to be a whole number >= 1, got 0'],
    [['C', '--processes=one'], 'Expected --processes to be a whole number >= 2, got one'],
  ])('%j are refused with a message and exit code 2', async (args, message) => {
    const { code, output } = await runCrash(args);
    expect(output).toContain(message);
    expect(code).toBe(2);
  });
});
