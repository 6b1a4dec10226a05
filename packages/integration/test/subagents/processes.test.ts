import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./fixtures/team.mjs', import.meta.url));

interface Life {
  readonly signal: NodeJS.Signals | null;
  readonly said: string;
}

async function live(kind: string, folder: string, killAt = 0): Promise<Life> {
  const child = spawn(process.execPath, [SCRIPT, kind, folder, String(killAt)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { signal, said };
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lousho-team-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function ledgerOf(folder: string): string[] {
  return readFileSync(join(folder, 'ledger.txt'), 'utf8').trim().split('\n');
}

describe.each(['file', 'sqlite'])('a process with a durable sub-agent on %s', (kind) => {
  it('that is killed at any model or tool call is finished by the next one; nothing but that call happens again, the payment never', {
    timeout: 240_000,
  }, async () => {
    const undisturbed = newFolder();
    expect((await live(kind, undisturbed)).signal).toBeNull();
    const effects = ledgerOf(undisturbed);
    expect(effects).toEqual([
      'lead answers 0',
      'payer answers 0',
      'look runs',
      'payer answers 1',
      'pay runs',
      'payer answers 2',
      'note runs',
      'payer answers 3',
      'lead answers 1',
    ]);
    for (const [index, killedAt] of effects.entries()) {
      const folder = newFolder();
      expect((await live(kind, folder, index + 1)).signal).toBe('SIGKILL');
      const { signal, said } = await live(kind, folder);
      const again = killedAt === 'pay runs' ? [] : [killedAt];
      expect([signal, ledgerOf(folder)]).toEqual([
        null,
        [...effects.slice(0, index + 1), ...again, ...effects.slice(index + 1)],
      ]);
      expect(JSON.parse(said)).toMatchObject({
        status: 'finished',
        text: 'Done.',
        usage: { modelCalls: 6, delegated: { runs: 1, modelCalls: 4 } },
        ids: ['job'],
      });
    }
  });
});
