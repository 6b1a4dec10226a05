import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ConformanceHarness } from '../../model/harness.js';
import { NotRun } from '../../model/violation.js';
import { ID } from '../../world/builders.js';
import { LONG_TTL } from '../flows/flow.js';
import { type Answer, ask, askCommand, hold } from '../process/asking.js';
import { inStorage } from '../storage/private-storage.js';
import { works } from '../tools/command.js';

/** A PID namespace of its own, in which process ids start anew. */
export const NAMESPACE = ['unshare', '--pid', '--mount-proc', '--fork'];

export function canUnshare(): boolean {
  return works([...NAMESPACE, 'true']);
}

const acquire = (owner: string) => ['checkpoints.acquireLease', ID, owner, LONG_TTL] as const;

/** A live holder in another PID namespace is never taken for dead, in either direction (A18). */
export function otherNamespace(harness: ConformanceHarness): Promise<readonly string[]> {
  return inStorage(harness, async (storage) => {
    const wrong: string[] = [];
    for (const [holderIn, rivalIn] of [
      [NAMESPACE, []],
      [[], NAMESPACE],
    ] as const) {
      const holder = await hold({ ...storage, prefix: holderIn }, acquire('worker-a'));
      const [answer] = await ask({ ...storage, prefix: rivalIn }, acquire('worker-b'));
      if (answer?.answer !== false)
        wrong.push(
          `the lease of a live holder in another PID namespace was answered ${JSON.stringify(answer)}`,
        );
      await ask(storage, ['checkpoints.releaseLease', ID, 'worker-a']);
      await holder.end();
    }
    return wrong;
  });
}

/** A holder that was killed where nobody can see it: refused until expiry and grace, granted from then on. */
export function killedOutOfSight(
  harness: ConformanceHarness,
  later: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  return inStorage(harness, async (storage) => {
    const holder = await hold({ ...storage, prefix: [...NAMESPACE, '--kill-child'] }, acquire('worker-a'));
    await holder.kill();
    const [early] = await ask(storage, acquire('worker-b'));
    const [late] = await ask({ ...storage, env: later }, acquire('worker-c'));
    return [
      ...(early?.answer === false
        ? []
        : [`a lease whose holder’s end is not proven was answered ${JSON.stringify(early)}`]),
      ...(late?.answer ? [] : [`after expiry and grace the lease was answered ${JSON.stringify(late)}`]),
    ];
  });
}

/** As PID namespaces, for the clock by which a process's start time is counted (A18). */
const OTHER_BOOT_TIME = ['unshare', '--time', '--boottime', '1000'];

/** A live holder whose start time reads differently, since the reader is in another time namespace, is not taken for dead (A18). */
export function otherTimeNamespace(harness: ConformanceHarness): Promise<readonly string[]> {
  if (!works([...OTHER_BOOT_TIME, 'true'])) throw new NotRun('this process may not make time namespaces');
  return inStorage(harness, async (storage) => {
    const holder = await hold(storage, acquire('worker-a'));
    const [answer] = await ask({ ...storage, prefix: OTHER_BOOT_TIME }, acquire('worker-b'));
    await holder.end();
    return answer?.answer === false
      ? []
      : [`the lease of a live holder in another time namespace was answered ${JSON.stringify(answer)}`];
  });
}

/**
 * A reused process id: the holder dies, and another process gets its number. In that namespace the lease is free at once; outside it
 * nothing is proven, so that nobody is granted it (A17).
 */
export function reusedProcessId(harness: ConformanceHarness): Promise<readonly string[]> {
  return inStorage(harness, async (storage) => {
    const quoted = (owner: string) =>
      askCommand(storage, [acquire(owner)])
        .map((arg) => `'${arg}'`)
        .join(' ');
    const script = [
      `${quoted('worker-a')} & P=$!`,
      'wait $P',
      'echo $((P - 1)) > /proc/sys/kernel/ns_last_pid',
      // The number goes to the next process: nothing may be started in between.
      'sleep 60 & Q=$!',
      'echo "ids $P $Q"',
      'read go',
      quoted('worker-b'),
      'kill $Q',
    ].join('\n');
    const [file = '', ...args] = [...NAMESPACE, 'sh', '-c', script];
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => String((await lines.next()).value);
    const [granted] = JSON.parse(await next()) as readonly Answer[];
    const [, died, lives] = (await next()).split(' ');
    const [outside] = await ask(storage, acquire('worker-c'));
    child.stdin.end('go\n');
    const [inside] = JSON.parse(await next()) as readonly Answer[];
    await exited;
    if (died !== lives) throw new NotRun('no process got the id of the one that died');
    return [
      ...(granted?.answer ? [] : [`a free id was answered ${JSON.stringify(granted)}`]),
      ...(outside?.answer === false
        ? []
        : [`outside the namespace the lease was answered ${JSON.stringify(outside)}`]),
      ...(inside?.answer
        ? []
        : [
            `beside a process that has the dead holder's id the lease was answered ${JSON.stringify(inside)}`,
          ]),
    ];
  });
}
