/** A registry of our own on the loopback: what is published to it is there, everything else comes from the registry that npm uses. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { runProgram } from '../run-program.js';
import { ROOT } from '../workspace.js';

const HOME = join(ROOT, 'scripts/rehearsal');
const OURS = ['@lousho/*', 'create-lousho'];

/** @returns {Promise<{ url: string, npmrc: string, stop(): Promise<void> }>} */
export async function startRegistry(folder) {
  await runProgram('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: HOME });
  const upstream = (await runProgram('npm', ['config', 'get', 'registry'])).stdout.trim();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const config = join(folder, 'verdaccio.json');
  await writeFile(config, JSON.stringify(configuration(folder, upstream)));
  // A token that nobody checks: npm refuses to publish without one.
  const npmrc = join(folder, 'npmrc');
  await writeFile(npmrc, `registry=${url}\n//127.0.0.1:${port}/:_authToken=rehearsal\n`);
  const program = join(HOME, 'node_modules/verdaccio/bin/verdaccio');
  const child = spawn(process.execPath, [program, '--config', config, '--listen', `127.0.0.1:${port}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await listening(child);
  return {
    url,
    npmrc,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

function configuration(folder, upstream) {
  const open = { access: '$all', publish: '$all', unpublish: '$all' };
  return {
    storage: join(folder, 'storage'),
    uplinks: { upstream: { url: upstream, maxage: '60m' } },
    packages: {
      ...Object.fromEntries(OURS.map((pattern) => [pattern, open])),
      '**': { access: '$all', proxy: 'upstream' },
    },
    log: { type: 'stdout', format: 'json', level: 'warn' },
    server: { keepAliveTimeout: 60 },
    max_body_size: '100mb',
  };
}

/** It is ready when it says so on its output; it must not end before. */
function listening(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (chunk) => {
      said += chunk;
      if (said.includes('http address')) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`the registry ended with ${code}:\n${said}`)));
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
