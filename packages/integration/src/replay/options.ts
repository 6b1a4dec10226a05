import { parseArgs } from 'node:util';
import { STORE_NAMES, type StoreName } from '../stores/store-names.js';

export const CRASH_MODES = ['none', 'every', 'kill'] as const;

export type CrashMode = (typeof CRASH_MODES)[number];

export const PLAY_MODES = ['run', 'session'] as const;

export type PlayMode = (typeof PLAY_MODES)[number];

export interface ReplayOptions {
  readonly file: string;
  readonly stores: readonly StoreName[];
  readonly crash: CrashMode;
  /** `run`: each user message is a `send()` under one id. `session`: each is a turn of `agent.session()`. */
  readonly as: PlayMode;
  /** Conversations to play; the first ones of the file. */
  readonly limit: number;
  /** `kill`: points tried in each conversation, spread evenly over it. */
  readonly points: number;
}

export const USAGE = `Usage: npm run replay -- FILE [--store ${STORE_NAMES.join('|')}[,...]] [--crash none|every|kill] [--as run|session] [--limit N] [--points N]

Plays recorded conversations ([{ id, messages }], OpenAI chat format) through the executor and compares the transcripts.
  --store   where the runs are kept (default sqlite); servers are started, and end with the command
  --crash   none: no crash. every: dies, in this process, right before and right after every store, model and tool call.
            kill: a child process is ended with SIGKILL at points spread over each conversation (default none)
  --as      run: each user message is a send() under one id. session: each is a turn of agent.session() (default run)
  --limit   how many conversations (default all)
  --points  with kill: points per conversation (default 6)`;

/** A command line that does not say what to do. */
export class UsageError extends Error {}

export function readOptions(args: readonly string[]): ReplayOptions {
  const { values, positionals } = parse(args);
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0)
    throw new UsageError(`Expected one FILE, got ${positionals.length}`);
  return {
    file,
    stores: (values.store ?? 'sqlite').split(',').map((name) => oneOf('--store', name, STORE_NAMES)),
    crash: oneOf('--crash', values.crash ?? 'none', CRASH_MODES),
    as: oneOf('--as', values.as ?? 'run', PLAY_MODES),
    limit: count('--limit', values.limit, Number.POSITIVE_INFINITY),
    points: count('--points', values.points, 6),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        store: { type: 'string' },
        crash: { type: 'string' },
        as: { type: 'string' },
        limit: { type: 'string' },
        points: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((name) => name === value);
  if (found === undefined)
    throw new UsageError(`Expected ${option} to be ${allowed.join(', ')}, got \`${value}\``);
  return found;
}

function count(option: string, value: string | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (!/^[1-9]\d*$/.test(value))
    throw new UsageError(`Expected ${option} to be a positive integer, got \`${value}\``);
  return Number(value);
}
