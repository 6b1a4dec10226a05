import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hasProvablyEnded, type ProcessIdentity, processIdentity } from '@lousho/core/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Child, kill, startChild } from './child.js';
import { startZombie } from './zombie.js';

async function started(): Promise<Child> {
  const child = await startChild();
  onTestFinished(() => kill(child));
  return child;
}

/** The identity of a process that has ended. */
async function ended(): Promise<ProcessIdentity> {
  const child = await startChild();
  await kill(child);
  return child.identity;
}

describe('processIdentity', () => {
  it('names this process, the same each time', () => {
    const identity = processIdentity();
    expect(identity).toMatchObject({ pid: process.pid, platform: process.platform });
    expect(identity.host).not.toBe('');
    expect(identity.bootId).not.toBe('');
    expect(processIdentity()).toBe(identity);
    expect(JSON.parse(JSON.stringify(identity))).toEqual(identity);
  });

  it('tells two processes of one boot apart', async () => {
    const { identity } = await started();
    const own = processIdentity();
    expect(identity).toMatchObject({ bootId: own.bootId, host: own.host });
    expect(identity.pid).not.toBe(own.pid);
  });
});

describe('hasProvablyEnded', () => {
  it('is false for this process and for one that lives', async () => {
    expect(hasProvablyEnded(processIdentity())).toBe(false);
    const { identity } = await started();
    expect(hasProvablyEnded(identity)).toBe(false);
  });

  it('is true for a process that was killed', async () => {
    const child = await started();
    expect(hasProvablyEnded(child.identity)).toBe(false);
    await kill(child);
    expect(hasProvablyEnded(child.identity)).toBe(true);
  });

  it('is false for a stopped process: it may go on', async () => {
    const child = await started();
    child.process.kill('SIGSTOP');
    expect(hasProvablyEnded(child.identity)).toBe(false);
  });

  it('is false for an ended process of another host', async () => {
    expect(hasProvablyEnded({ ...(await ended()), host: 'elsewhere' })).toBe(false);
  });

  it('is false for an ended process of another platform', async () => {
    expect(hasProvablyEnded({ ...(await ended()), platform: 'aix' })).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('hasProvablyEnded on Linux', () => {
  it('reads the start time that the kernel has', () => {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    expect(processIdentity().startTime).toBe(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  });

  it('is true for a zombie: it will not run again, though its id is still taken', async () => {
    const zombie = await startZombie();
    onTestFinished(() => zombie.end());
    expect(() => process.kill(zombie.identity.pid, 0)).not.toThrow();
    expect(hasProvablyEnded(zombie.identity)).toBe(true);
  });

  it('is true for a living process with another start time: the id was used again', async () => {
    const { identity } = await started();
    expect(hasProvablyEnded({ ...identity, startTime: '1' })).toBe(true);
  });

  it.each([
    ['another boot', { bootId: '00000000-0000-4000-8000-000000000000' }],
    ['another PID namespace', { pidNamespace: 'pid:[1]' }],
    ['an unknown PID namespace', { pidNamespace: '' }],
    ['an unknown start time', { startTime: '' }],
  ])('is false for an ended process of %s', async (_, fields) => {
    const identity = await ended();
    expect(hasProvablyEnded(identity)).toBe(true);
    expect(hasProvablyEnded({ ...identity, ...fields })).toBe(false);
  });

  it('is false when a recorded identity lacks the facts that a proof needs', async () => {
    const { pidNamespace: _namespace, ...withoutNamespace } = await ended();
    const { startTime: _startTime, ...withoutStart } = await ended();
    expect(hasProvablyEnded(withoutNamespace)).toBe(false);
    expect(hasProvablyEnded(withoutStart)).toBe(false);
  });

  it('reads a process whose name has spaces and parentheses', async () => {
    const child = await startChild({ title: 'x) Z 1 (y' });
    onTestFinished(() => kill(child));
    expect(readFileSync(`/proc/${child.identity.pid}/comm`, 'utf8')).toBe('x) Z 1 (y\n');
    expect(hasProvablyEnded(child.identity)).toBe(false);
    await kill(child);
    expect(hasProvablyEnded(child.identity)).toBe(true);
  });
});

const UNSHARE = 'unshare';

/** Making a PID namespace and choosing the next id in it takes root and the kernel's leave; else these are not part of the run. */
const canUnshare = canRunUnshared('echo 100 > /proc/sys/kernel/ns_last_pid');

describe.runIf(canUnshare)('hasProvablyEnded across PID namespaces', () => {
  it('is false for an ended process of another namespace, where the same id means another process', async () => {
    const child = await startChild({ by: [UNSHARE, '--pid', '--fork', '--kill-child', '--mount-proc'] });
    onTestFinished(() => kill(child));
    expect(child.identity.pidNamespace).not.toBe(processIdentity().pidNamespace);
    await kill(child);
    expect(hasProvablyEnded(child.identity)).toBe(false);
  });

  it('is true where the id of the ended process was given to another one', () => {
    const script = fileURLToPath(new URL('reuse-pid.js', import.meta.url));
    const run = spawnSync(UNSHARE, ['--pid', '--fork', '--mount-proc', process.execPath, script], {
      encoding: 'utf8',
    });
    expect(run.stderr).toBe('');
    expect(JSON.parse(run.stdout)).toEqual({ isSamePid: true, hasEnded: true, hasNewEnded: false });
  });
});

function canRunUnshared(command: string): boolean {
  const args = ['--pid', '--fork', '--mount-proc', 'sh', '-c', command];
  return spawnSync(UNSHARE, args, { stdio: 'ignore' }).status === 0;
}
