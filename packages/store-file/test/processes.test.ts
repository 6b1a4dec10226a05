import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fileStore } from '@lousho/store-file';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkpoint } from './support/checkpoint.js';
import { wholeRevision } from './support/growing-run.js';
import { random } from './support/random.js';
import { tempDir } from './support/temp-dir.js';

const isDeep = process.env.DEEP === '1';
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);

describe('a killed process', () => {
  it('has lost nothing that it told, and the next one goes on at once', { timeout: 900_000 }, async () => {
    const dir = tempDir();
    const chance = random(SEED);
    const rounds = isDeep ? 400 : 20;
    let saves = 0;
    let told = { revision: 0, epoch: 0, isDeleting: false };
    for (let round = 0; round < rounds; round++) {
      const lines = await runAndKill([dir, `worker-${round}`], 5 + chance.below(150));
      for (const line of lines) {
        if (line.epoch !== undefined) {
          expect(line.epoch).toBeGreaterThan(told.epoch);
          told = { ...told, epoch: line.epoch };
        }
        if (line.deleting) told = { ...told, isDeleting: true };
        if (line.revision !== undefined) {
          told = { ...told, revision: line.revision, isDeleting: false };
          saves++;
        }
      }
      const store = fileStore(dir);
      const found = await wholeRevision(store.checkpoints, 'job-1');
      const allowed = [told.revision, told.revision + 1, ...(told.isDeleting ? [0] : [])];
      expect(allowed, `seed ${SEED}, round ${round}`).toContain(found);
      told = { ...told, revision: found, isDeleting: false };
      await store.close();
    }
    console.log(`kills: ${rounds}, acknowledged saves: ${saves}, seed ${SEED}`);
    expect(saves).toBeGreaterThan(rounds);
  });
});

describe('several processes', () => {
  it('that race for one lease, one decision and one commit have one winner each', async () => {
    const dir = tempDir();
    const store = fileStore(dir);
    const rounds = isDeep ? 200 : 12;
    const racers = ['a', 'b', 'c', 'd'].map((name) => startChild('race-child.js', [dir, `worker-${name}`]));
    const lines = racers.map((racer) => createInterface({ input: racer.stdout })[Symbol.asyncIterator]());
    await Promise.all(lines.map((line) => line.next()));
    for (let round = 0; round < rounds; round++) {
      const approval = { id: `approval-${round}`, toolCallId: 'c', toolName: 't', args: {} };
      await store.approvals.save({ ...approval, createdAt: new Date(0).toISOString() }, {});
      for (const racer of racers) racer.stdin.write(`${round}\n`);
      const answers = await Promise.all(
        lines.map(async (line) => JSON.parse((await line.next()).value as string) as Answer),
      );
      expect(answers.filter(({ lease }) => lease !== false)).toHaveLength(1);
      expect(answers.filter(({ decided }) => decided === 'decided')).toHaveLength(1);
      expect(answers.filter(({ decided }) => decided === 'already-decided')).toHaveLength(3);
      expect(answers.filter(({ committed }) => committed)).toHaveLength(1);
    }
    for (const racer of racers) racer.stdin.end();
    await Promise.all(racers.map((racer) => once(racer, 'exit')));
    await store.close();
  });

  it('take over at once from one that ended without giving its lease back', async () => {
    const dir = tempDir();
    const child = startChild('race-child.js', [dir, 'worker-a']);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await lines.next();
    child.stdin.write('1\n');
    await lines.next();
    const store = fileStore(dir);
    expect(await store.checkpoints.acquireLease?.('job-1', 'worker-b', 60_000)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await store.checkpoints.acquireLease?.('job-1', 'worker-b', 60_000)).toEqual({ epoch: 2 });
    expect(
      await store.checkpoints.saveIfLeased?.('job-1', checkpoint({ sessionId: 'job-1' }), 'worker-b'),
    ).toBe(true);
  });
});

describe('a process with few file descriptors', () => {
  it('lists thousands of ids', { timeout: 120_000 }, () => {
    const count = isDeep ? 20_000 : 2_000;
    const script = `ulimit -n 64; exec "${process.execPath}" "${pathOf('list-child.js')}" "${tempDir()}" ${count}`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const told = JSON.parse(stdout) as { pending: number; listed: number; highestFd: number };
    expect(told).toMatchObject({ pending: count, listed: count });
    expect(told.highestFd).toBeLessThan(64);
  });
});

interface Answer {
  readonly lease: unknown;
  readonly decided: string;
  readonly committed: boolean;
}

interface ToldLine {
  readonly epoch?: number;
  readonly revision?: number;
  readonly deleting?: boolean;
}

async function runAndKill(args: readonly string[], afterMs: number): Promise<ToldLine[]> {
  const child = startChild('run-child.js', args);
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const exit = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), exit]);
  // The moment of the kill is what is tried out here, so it is left to the clock.
  await sleep(afterMs);
  child.kill('SIGKILL');
  await exit;
  expect(errors).toBe('');
  // The last line may be cut off.
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ToldLine);
}

function startChild(script: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [pathOf(script), ...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

function pathOf(script: string): string {
  return fileURLToPath(new URL(`./fixtures/${script}`, import.meta.url));
}
