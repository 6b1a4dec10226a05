/**
 * Rehearses a release of what is committed: versions, build, publishing to a registry on the loopback, and then what a user does: each
 * package is installed alone (a store with core) in an empty folder, and the program of its README is compiled and run. Prints a table;
 * exits with 1 when a package is not ok. Run the build first: the servers are started by packages/test-backends.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whatIsInstalled } from './lib/first-minutes/installed.js';
import { readmePlaces } from './lib/rehearsal/places.js';
import { readmeProgram } from './lib/rehearsal/readme-program.js';
import { startRegistry } from './lib/rehearsal/registry.js';
import { runProgram } from './lib/run-program.js';
import { ROOT, readManifests } from './lib/workspace.js';

const place = await mkdtemp(join(tmpdir(), 'lousho-release-'));
const registry = await startRegistry(place);
const env = { ...process.env, npm_config_userconfig: registry.npmrc, npm_config_registry: registry.url };
try {
  const version = await publish();
  const places = await readmePlaces();
  const published = Object.entries(readManifests()).filter(([, manifest]) => !manifest.private);
  console.log(`version ${version}, published to ${registry.url}\n`);
  console.log(row(['package', 'MB', 'packages', 'result']));
  for (const [folder, manifest] of published) await tryOut(folder, manifest, places[folder]);
} finally {
  await registry.stop();
  await rm(place, { recursive: true, force: true });
}
// Servers that other tests may share are left to their own end.
process.exit();

/** From a clone, so that the versions of the work at hand stay as they are. */
async function publish() {
  const clone = join(place, 'clone');
  await runProgram('git', ['clone', '--quiet', ROOT, clone]);
  const inClone = { cwd: clone, env };
  await runProgram('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], inClone);
  await runProgram('npx', ['changeset', 'version'], inClone);
  await runProgram('npm', ['run', 'build:release'], inClone);
  await runProgram('npx', ['changeset', 'publish', '--no-git-tag'], inClone);
  const { stdout } = await runProgram('npm', ['view', '@lousho/core', 'version'], inClone);
  return stdout.trim();
}

async function tryOut(folder, { name }, program) {
  const home = join(place, folder);
  const names = folder.startsWith('store-') ? ['@lousho/core', name] : [name];
  try {
    await mkdir(home);
    // npm asks before it lets a package compile itself.
    const manifest = { private: true, type: 'module', allowScripts: { 'better-sqlite3': true } };
    await writeFile(join(home, 'package.json'), JSON.stringify(manifest));
    await runProgram('npm', ['install', '--no-audit', '--no-fund', ...names], { cwd: home, env });
    const { packages, megabytes } = await whatIsInstalled(home);
    if (program) await runReadme(home, folder, program);
    else if (folder.startsWith('create-')) await runProgram('npx', [name, 'made'], { cwd: home, env });
    else await runProgram(process.execPath, ['--eval', `import('${name}')`], { cwd: home });
    console.log(row([name, megabytes.toFixed(1), packages, 'ok']));
  } catch (error) {
    console.log(row([name, '', '', 'NOT OK']));
    console.error(error.message);
    process.exitCode = 1;
  }
}

async function runReadme(home, folder, { places = {}, after = '' }) {
  await writeFile(join(home, 'example.ts'), `${await readmeProgram(folder, places)}\n${after}\n`);
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', types: ['node'] };
  await writeFile(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['example.ts'] }));
  await bringNodeTypes(join(home, 'node_modules/@types'));
  await runProgram(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: home });
  await runProgram(process.execPath, ['example.js'], { cwd: home });
}

/** As an application has them; some packages bring them along. */
async function bringNodeTypes(types) {
  await mkdir(types, { recursive: true });
  if (!existsSync(join(types, 'node')))
    await symlink(join(ROOT, 'node_modules/@types/node'), join(types, 'node'));
}

function row([name, megabytes, packages, result]) {
  return `${name.padEnd(24)} ${String(megabytes).padStart(6)} ${String(packages).padStart(9)}  ${result}`;
}
