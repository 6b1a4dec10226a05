import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A process, recognised even when its number was given to another one since. */
export interface ProcessMark {
  readonly pid: number;
  readonly startedAt: string;
}

export function markOf(pid: number): ProcessMark {
  return { pid, startedAt: statOf(pid)?.startedAt ?? '' };
}

export function isAlive({ pid, startedAt }: ProcessMark): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== 'Z' && (startedAt === '' || stat.startedAt === startedAt);
}

/** SIGKILL to the process and all that descends from it; gives the numbers it hit. */
export function killTree(root: ProcessMark): number[] {
  if (!isAlive(root)) return [];
  // Stopped first: a process that runs may start another one behind the list.
  signal(root.pid, 'SIGSTOP');
  const pids = [root.pid, ...descendantsOf(root.pid)];
  for (const pid of pids) signal(pid, 'SIGKILL');
  return pids;
}

export function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const [child, parent] of parents()) children.set(parent, [...(children.get(parent) ?? []), child]);
  const found: number[] = [];
  const visit = (parent: number) => {
    for (const child of children.get(parent) ?? []) {
      found.push(child);
      visit(child);
    }
  };
  visit(pid);
  return found;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Ended by itself.
  }
}

interface Stat {
  readonly state: string;
  readonly parent: number;
  readonly startedAt: string;
}

function statOf(pid: number): Stat | undefined {
  if (process.platform !== 'linux') return elsewhereStatOf(pid);
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in brackets and may hold anything, brackets included.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', parent: Number(fields[1]), startedAt: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function elsewhereStatOf(pid: number): Stat | undefined {
  try {
    process.kill(pid, 0);
    return { state: 'R', parent: 0, startedAt: '' };
  } catch {
    return undefined;
  }
}

function parents(): [number, number][] {
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
    return lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  }
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .flatMap((pid) => {
      const stat = statOf(pid);
      return stat ? [[pid, stat.parent] as [number, number]] : [];
    });
}
