/**
 * Installs the programs that tests start and npm does not bring: on Debian and its descendants, as root or where sudo asks for no
 * password. Elsewhere says in one line what is missing. Does nothing when all is there.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Program to Debian package. */
const NEEDED = {
  'redis-server': 'redis-server',
  pgbouncer: 'pgbouncer',
  faketime: 'faketime',
  strace: 'strace',
};
const POLICY = '/usr/sbin/policy-rc.d';

const missing = () => Object.keys(NEEDED).filter((program) => !isInstalled(program));

if (process.platform === 'linux' && missing().length > 0)
  install(missing().map((program) => NEEDED[program]));
const left = missing();
if (left.length > 0) {
  console.error(
    `Not installed: ${left.join(', ')}. The tests that need them will fail; on Debian: apt-get install ${left.map((program) => NEEDED[program]).join(' ')}`,
  );
}

function isInstalled(program) {
  // Debian puts servers where only root's path leads.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.some((folder) => isExecutable(join(folder, program)));
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function install(packages) {
  const isRoot = process.getuid() === 0;
  if (!existsSync('/usr/bin/apt-get') || (!isRoot && run('sudo', ['-n', 'true']).status !== 0)) return;
  const command = (...args) => (isRoot ? run(args[0], args.slice(1)) : run('sudo', ['-n', ...args]));
  console.log(`Installing ${packages.join(', ')}`);
  // The tests start servers of their own: the packages' services stay off.
  const holdsServices = isRoot && !existsSync(POLICY);
  if (holdsServices) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const flags = ['-y', '-qq', '--no-install-recommends', '-o', 'Dpkg::Use-Pty=0'];
    const apt = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];
    if (command(...apt, 'install', ...flags, ...packages).status === 0) return;
    // Lists that are old or were never fetched.
    command(...apt, 'update', '-qq');
    const { status, stderr } = command(...apt, 'install', ...flags, ...packages);
    if (status !== 0) console.error(`apt-get: ${String(stderr).trim().split('\n').at(-1)}`);
  } finally {
    if (holdsServices) rmSync(POLICY, { force: true });
  }
}

function run(command, args) {
  return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
