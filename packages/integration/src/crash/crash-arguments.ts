import { faketimeLibrary } from '@lousho/conformance/faults';
import { LOCAL_STORE_NAMES, STORE_NAMES, type StoreName } from '../stores/store-names.js';
import type { CrashTest } from './crash-test.js';
import { CRASH_TESTS, findCrashTest } from './crash-tests.js';

/** The tests hold a store to what only atomic fencing gives. */
const CRASH_STORES: readonly StoreName[] = STORE_NAMES.filter((name) => name !== 'kv');

export interface CrashPlan {
  readonly tests: readonly CrashTest[];
  readonly stores: readonly StoreName[];
  readonly rounds?: number;
  readonly processes?: number;
  /** Of libfaketime, where the child processes are to have wall clocks that are off. */
  readonly faketime?: string;
  /** Durations are told, and not judged. */
  readonly isUntimed: boolean;
  /** Leaves the folders of the tests where they are. */
  readonly keepsFolders: boolean;
}

export type CrashArguments =
  | { readonly kind: 'run'; readonly plan: CrashPlan }
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly message: string };

export function crashUsage(): string {
  const tests = CRASH_TESTS.map(({ name, says }) => `  ${name.padEnd(10)} ${says}`);
  return [
    'npm run crash -- TESTS... [--store NAMES] [--rounds N] [--processes N] [--skew] [--untimed] [--keep]',
    '',
    'Tests (all when none is named):',
    ...tests,
    '',
    `  --store      of ${CRASH_STORES.join(', ')}, separated by commas (${LOCAL_STORE_NAMES.join(',')})`,
    '  --rounds     repetitions of the tests that repeat',
    '  --processes  processes that race, in the tests where several do (2 or more)',
    '  --skew       child processes have wall clocks that are an hour behind, right, and an hour ahead, in turn',
    '  --untimed    tells durations and judges none: for a machine that has other work to do',
    '  --keep       keep the folders with the stores and the effect ledgers',
    '',
    'Exit code: 0 everything as promised, 1 something was not, 2 wrong arguments.',
  ].join('\n');
}

export function crashArguments(args: readonly string[]): CrashArguments {
  try {
    if (args.includes('--help')) return { kind: 'help' };
    return { kind: 'run', plan: planOf(args) };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', message: error.message };
    throw error;
  }
}

class Refusal extends Error {}

function planOf(args: readonly string[]): CrashPlan {
  const named: CrashTest[] = [];
  const options = new Map<string, string>();
  let keepsFolders = false;
  let isSkewed = false;
  let isUntimed = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    const [option = '', inline] = arg.split(/=(.*)/s);
    if (arg === '--keep') keepsFolders = true;
    else if (arg === '--skew') isSkewed = true;
    else if (arg === '--untimed') isUntimed = true;
    else if (['--store', '--rounds', '--processes'].includes(option))
      options.set(option, inline ?? args[++at] ?? '');
    else if (arg.startsWith('-')) throw new Refusal(`Unknown option ${arg}`);
    else named.push(testOf(arg));
  }
  return {
    tests: named.length > 0 ? [...new Set(named)] : CRASH_TESTS,
    stores: storesOf(options.get('--store')),
    ...countOf(options, 'rounds', 1),
    ...countOf(options, 'processes', 2),
    ...(isSkewed && { faketime: faketime() }),
    isUntimed,
    keepsFolders,
  };
}

function testOf(name: string): CrashTest {
  const test = findCrashTest(name);
  if (test) return test;
  throw new Refusal(`Unknown test ${name}; there are ${CRASH_TESTS.map((known) => known.name).join(', ')}`);
}

function faketime(): string {
  const library = faketimeLibrary();
  if (library) return library;
  throw new Refusal('--skew needs libfaketime, on Debian: apt-get install faketime');
}

function storesOf(list: string | undefined): readonly StoreName[] {
  if (list === undefined) return LOCAL_STORE_NAMES;
  return list.split(',').map((name) => {
    const known = CRASH_STORES.find((store) => store === name);
    if (known) return known;
    if (name === 'kv')
      throw new Refusal('Expected a store with atomic fencing, got kv: it promises none of these numbers');
    throw new Refusal(`Unknown store ${name || '(none)'}; there are ${STORE_NAMES.join(', ')}`);
  });
}

function countOf(options: ReadonlyMap<string, string>, name: 'rounds' | 'processes', least: number) {
  const text = options.get(`--${name}`);
  if (text === undefined) return {};
  if (!/^\d{1,6}$/.test(text) || Number(text) < least) {
    throw new Refusal(`Expected --${name} to be a whole number >= ${least}, got ${text || '(none)'}`);
  }
  return { [name]: Number(text) };
}
