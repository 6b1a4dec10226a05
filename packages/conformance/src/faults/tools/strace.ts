import { MUTATING_CALLS, traceOf } from '../trace/mutating-calls.js';
import { works } from './command.js';

let isThere: boolean | undefined;

/** Whether strace is installed and this process may trace others. */
export function canTrace(): boolean {
  isThere ??= works(['strace', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', 'trace=fsync', 'true']);
  return isThere;
}

/** As many bytes of an argument as any store writes at once: for those who make the disk again from a trace. */
export const WHOLE_WRITES = 1 << 22;

export interface TraceOrder {
  /** Where strace writes. */
  readonly log: string;
  /** Default: the calls that change a disk. */
  readonly calls?: readonly string[];
  /** Longest text of one argument. Default 0: paths are always whole. */
  readonly bytes?: number;
  /** Passes over, and does not count, what touches no file of these: whole paths, none of a folder's files. Default: all. */
  readonly paths?: readonly string[];
  /** `pwrite64:signal=KILL:when=7`. */
  readonly inject?: string;
}

/** The command that runs another one under strace, its threads included. */
export function traced(command: readonly string[], order: TraceOrder): readonly string[] {
  const { log, calls = MUTATING_CALLS, bytes = 0, paths = [], inject } = order;
  const options = [
    '-f',
    '-y',
    '-s',
    String(bytes),
    '-o',
    log,
    '-e',
    traceOf(calls),
    ...paths.flatMap((path) => ['-P', path]),
  ];
  // Faster, but strace injects nothing then.
  const mode = inject === undefined ? ['--seccomp-bpf'] : ['-e', `inject=${inject}`];
  return ['strace', ...options, ...mode, ...command];
}
