/**
 * What a newcomer's first ten minutes cost, measured against the packed packages in empty folders: install, import, a program that is
 * killed and resumed, its types, and `npm create`. Exits with 1 when a figure is beyond its limit.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureImport } from './lib/first-minutes/import-cost.js';
import { measureInstall } from './lib/first-minutes/installed.js';
import { RIVALS } from './lib/first-minutes/rivals.js';
import { checkTypes } from './lib/first-minutes/strict-types.js';
import { packRelease } from './lib/release-build.js';
import { runProgram } from './lib/run-program.js';

const PACKAGES = ['@lousho/core', '@lousho/store-file'];
const ROUNDS = { install: 5, import: 15 };

const place = await mkdtemp(join(tmpdir(), 'lousho-first-minutes-'));
try {
  const tarballs = await packRelease([...PACKAGES, 'create-lousho'], place);
  const both = PACKAGES.map((name) => tarballs[name]);

  const installed = await measureInstall(join(place, 'empty'), both, ROUNDS.install);
  const cost = await measureImport(join(place, 'empty'), PACKAGES, ROUNDS.import);

  const created = join(place, 'my-agent');
  const create = ['exec', '--yes', `--package=${tarballs['create-lousho']}`, '--', 'create-lousho', created];
  await runProgram('npm', create, { cwd: place });
  await runProgram('npm', ['install', '--no-audit', '--no-fund', ...both], { cwd: created });
  const program = await readFile(join(created, 'agent.js'), 'utf8');
  const demo = await runProgram('npm', ['run', '--silent', 'demo'], { cwd: created });
  await checkTypes(created, program);

  const figures = [
    { name: 'packages that an install of core and file store brings', is: installed.packages, limit: 3 },
    { name: 'megabytes of them', is: installed.megabytes, limit: 1.5, digits: 2 },
    { name: 'install scripts', is: installed.scripts.length, limit: 0 },
    { name: `seconds of an install (median of ${ROUNDS.install})`, is: installed.ms / 1_000, digits: 1 },
    { name: `ms to import both (median of ${ROUNDS.import})`, is: cost.ms, limit: 40 },
    { name: 'megabytes of memory above bare Node', is: cost.megabytes, limit: 12, digits: 1 },
    { name: 'lines of an agent with two tools, killed and resumed', is: linesOf(program), limit: 12 },
  ];
  for (const { name, is, limit, digits = 0 } of figures) {
    console.log(
      `${name.padEnd(56)} ${is.toFixed(digits).padStart(6)}${limit === undefined ? '' : `   limit ${limit}`}`,
    );
  }
  console.log('\nnpm create lousho, npm run demo:');
  console.log(demo.stdout.trimEnd().replaceAll(/^/gm, '  '));
  console.log(
    '\nThe program compiles as it is under strict, exactOptionalPropertyTypes and skipLibCheck: false.',
  );
  console.log(
    '\nBeside others (packages, MB, ms to import; measured in November 2026, see scripts/lib/first-minutes/rivals.js):',
  );
  const own = {
    name: 'lousho',
    packages: installed.packages,
    megabytes: installed.megabytes,
    importMs: cost.ms,
  };
  for (const { name, packages, megabytes, importMs } of [own, ...RIVALS]) {
    console.log(
      `  ${name.padEnd(14)} ${packages.toString().padStart(4)} ${megabytes.toFixed(1).padStart(7)} ${importMs.toFixed(0).padStart(5)}`,
    );
  }

  const beyond = figures.filter(({ is, limit }) => limit !== undefined && is > limit);
  for (const { name, is, limit } of beyond) console.error(`beyond its limit: ${name}: ${is} > ${limit}`);
  if (beyond.length > 0) process.exitCode = 1;
} finally {
  await rm(place, { recursive: true, force: true });
}

function linesOf(program) {
  return program.split('\n').filter((line) => line.trim() !== '').length;
}
