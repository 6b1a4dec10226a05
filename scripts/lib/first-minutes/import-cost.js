/** What importing packages costs a process of Node: time within it, and memory above a process that imports nothing. */

import { runProgram } from '../run-program.js';
import { median } from './median.js';

/** Bare processes and importing ones take turns, so that a slow moment of the machine meets both. */
export async function measureImport(folder, packages, rounds) {
  const bare = [];
  const loaded = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(await lookAt(folder, []));
    loaded.push(await lookAt(folder, packages));
  }
  const of = (list, what) => median(list.map((one) => one[what]));
  return {
    ms: of(loaded, 'ms') - of(bare, 'ms'),
    megabytes: (of(loaded, 'rss') - of(bare, 'rss')) / 1e6,
  };
}

async function lookAt(folder, packages) {
  const program = `
    const startedAt = performance.now();
    ${packages.map((name) => `await import('${name}');`).join('\n')}
    const ms = performance.now() - startedAt;
    globalThis.gc();
    console.log(JSON.stringify({ ms, rss: process.memoryUsage.rss() }));`;
  const args = ['--expose-gc', '--input-type=module', '--eval', program];
  return JSON.parse((await runProgram(process.execPath, args, { cwd: folder })).stdout);
}
