import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../fixtures/decider.mjs', import.meta.url));

export interface Answer {
  readonly approvalId?: string;
  readonly finishReason?: string;
  readonly messages?: readonly { role: string; content: string; toolCallId?: string }[];
  readonly listed?: number;
  readonly code?: string;
  readonly detail?: string;
}

/** A process of its own that answers one line with one line. */
export interface DeciderProcess {
  readonly child: ChildProcess;
  ask(line: string): Promise<Answer>;
}

export async function startDecider(kind: string, folder: string, mode = 'live'): Promise<DeciderProcess> {
  const child = spawn(process.execPath, [SCRIPT, kind, folder, mode], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  child.stdin.on('error', () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ready = await lines.next();
  if (ready.value !== 'ready') throw new Error(`the process said ${ready.value}`);
  return {
    child,
    ask: async (line) => {
      child.stdin.write(`${line}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the process ended before it answered "${line}"`);
      return JSON.parse(value as string) as Answer;
    },
  };
}

export async function ended({ child }: DeciderProcess): Promise<NodeJS.Signals | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.signalCode;
}

/** A folder that goes with the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lousho-deciders-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The approvals whose effect happened, by a ledger that no store sees. */
export function effectsIn(folder: string): string[] {
  return readFileSync(join(folder, 'ledger.txt'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[0] as string);
}
