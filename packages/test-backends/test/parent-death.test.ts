import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

function foldersOf(pid: number): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('lousho-redis-') && name.includes(`${pid}`));
}

it('a server ends, with its data, when the process that started it is killed', async () => {
  const script = fileURLToPath(new URL('fixtures/hold-server.mjs', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(line.toString());
  const folders = foldersOf(child.pid as number);
  expect(folders).toHaveLength(1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const isListening = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('error', () => resolve(false)).once('connect', () => resolve(true));
      socket.once('connect', () => socket.destroy());
    });
  await expect.poll(isListening, { timeout: 10_000 }).toBe(false);
  await expect.poll(() => foldersOf(child.pid as number), { timeout: 10_000 }).toEqual([]);
});
