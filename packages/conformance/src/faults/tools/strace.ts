import { MUTATING_CALLS, traceOf } from '../trace/mutating-calls.js';
import { works } from './command.js';

let isThere: boolean | undefined;

/** To sleep on is a call, at which whoever may trace and inject has ended the process. */
const SLEEP = ['clock_nanosleep', 'restart_syscall'];
const ENDS_SLEEP = { log: '/dev/null', calls: SLEEP, inject: `${SLEEP.join()}:signal=KILL` };

/** Whether strace is installed and this process may trace others. */
export function canTrace(): boolean {
  isThere ??=
    works(traced(['true'], { log: '/dev/null' })) &&
    works(['sh', '-c', `sleep 60 & exec ${attaching(ENDS_SLEEP)} -p $!`]);
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
export function traced(command: readonly string[], order: Omit<TraceOrder, 'inject'>): readonly string[] {
  // Faster, but strace injects nothing then.
  return ['strace', ...optionsOf(order), '--seccomp-bpf', ...command];
}

/** The text of a shell's command that traces a process and its threads; `-p` and the number are to follow. */
export function attaching({ inject, ...order }: TraceOrder): string {
  const options = [...optionsOf(order), ...(inject === undefined ? [] : ['-e', `inject=${inject}`])];
  return ['strace', ...options.map((option) => `'${option.replaceAll("'", `'\\''`)}'`)].join(' ');
}

function optionsOf({ log, calls = MUTATING_CALLS, bytes = 0, paths = [] }: TraceOrder): readonly string[] {
  const filter = ['-e', traceOf(calls), ...paths.flatMap((path) => ['-P', path])];
  return ['-f', '-y', '-s', String(bytes), '-o', log, ...filter];
}
