import { bootId } from './host-clock.js';
import { late } from './late.js';

const fs = late(() => process.getBuiltinModule('node:fs'));
const os = late(() => process.getBuiltinModule('node:os'));

/** Which process something belongs to, precisely enough to prove later that it has ended. */
export interface ProcessIdentity {
  readonly platform: string;
  readonly host: string;
  readonly pid: number;
  readonly bootId: string;
  /** Linux: the PID namespace, without which a process id says nothing. */
  readonly pidNamespace?: string;
  /** Linux: the time namespace, by whose clock start times are told. */
  readonly timeNamespace?: string;
  /** Linux: clock ticks since boot at which the process started; a reused id has another. */
  readonly startTime?: string;
}

let own: ProcessIdentity | undefined;

export function processIdentity(): ProcessIdentity {
  own ??= readIdentity();
  return own;
}

/**
 * Whether the process has provably ended, seen from this one. On Linux: same host, boot and PID namespace, and no process with this
 * id and start time (a zombie has ended). On macOS and Windows: same host and no process with this id. Everything else, and every
 * doubt, is `false`: the caller waits for the expiry.
 */
export function hasProvablyEnded(holder: ProcessIdentity): boolean {
  const self = processIdentity();
  if (holder.platform !== self.platform || holder.host !== self.host) return false;
  if (self.platform !== 'linux') return !isPidInUse(holder.pid);
  if (!holder.startTime || !holder.pidNamespace) return false;
  if (holder.bootId !== self.bootId || holder.pidNamespace !== self.pidNamespace) return false;
  // A start time of another time namespace is told by another clock, and so says nothing here.
  if (holder.timeNamespace !== self.timeNamespace) return false;
  // This very process, which lives.
  if (holder.pid === self.pid && holder.startTime === self.startTime) return false;
  const seen = readStat(holder.pid);
  if (seen === 'unreadable') return false;
  return seen === 'none' || seen.state === 'Z' || seen.state === 'X' || seen.startTime !== holder.startTime;
}

function readIdentity(): ProcessIdentity {
  const base = { platform: process.platform, host: os().hostname(), pid: process.pid, bootId: bootId() };
  if (process.platform !== 'linux') return base;
  const stat = readStat(process.pid);
  const [pidNamespace, timeNamespace] = [readNamespace('pid'), readNamespace('time')];
  return {
    ...base,
    ...(pidNamespace && { pidNamespace }),
    ...(timeNamespace && { timeNamespace }),
    ...(typeof stat === 'object' && { startTime: stat.startTime }),
  };
}

function readNamespace(kind: 'pid' | 'time'): string | undefined {
  try {
    return fs().readlinkSync(`/proc/self/ns/${kind}`);
  } catch {
    return undefined;
  }
}

/** Fields 3 (state) and 22 (start time) of /proc/PID/stat, see proc(5). */
function readStat(pid: number): { state: string; startTime: string } | 'none' | 'unreadable' {
  let text: string;
  try {
    text = fs().readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // /proc may hide other users' processes (hidepid), so a missing entry counts only if the id is free as well.
    return (code === 'ENOENT' || code === 'ESRCH') && !isPidInUse(pid) ? 'none' : 'unreadable';
  }
  // The command name stands in parentheses and may hold anything, so the fields are counted from its end.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields[0], fields[19]];
  return state && startTime ? { state, startTime } : 'unreadable';
}

function isPidInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
