import { type CellResult, runFaults } from '@lousho/conformance/faults';
import { HARNESSES } from '../stores.js';

const USAGE = 'npm run conformance -- crash [--store file,sqlite] [--cells kill,power-loss] [--full]';

/** Lets the stores' processes and disks fail, and says what was found. Exits with 0 when every cell ran and kept its promise. */
export async function run(args: readonly string[]): Promise<number> {
  const options = parse(args);
  if (!options) {
    console.error(`Expected ${USAGE}, got ${args.join(' ')}`);
    return 2;
  }
  const startedAt = performance.now();
  const all: CellResult[] = [];
  for (const harness of HARNESSES.filter(({ name }) => options.stores.includes(name))) {
    console.log(`\n${harness.name}`);
    const { size, cells } = options;
    all.push(...(await runFaults(harness, { size, ...(cells && { cells }), onResult: print })));
  }
  console.log(`\n${summary(all)} in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  return all.every(({ outcome }) => outcome.kind === 'passed' || outcome.kind === 'not-claimed') ? 0 : 1;
}

function parse(args: readonly string[]) {
  let stores: readonly string[] = ['file', 'sqlite'];
  let cells: readonly string[] | undefined;
  let size: 'sampled' | 'full' = process.env.DEEP === '1' ? 'full' : 'sampled';
  const rest = [...args];
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '--full') size = 'full';
    else if (name === '--store') stores = rest.shift()?.split(',') ?? [];
    else if (name === '--cells') cells = rest.shift()?.split(',') ?? [];
    else return undefined;
  }
  const known = HARNESSES.map(({ name }) => name);
  return stores.length > 0 && stores.every((store) => known.includes(store))
    ? { stores, cells, size }
    : undefined;
}

function print({ cell, outcome, figures }: CellResult): void {
  const { inconsistent = [], ...counts } = figures ?? {};
  const words = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  const line = [...words, ...(figures ? [`inconsistent ${inconsistent.length}`] : [])].join(', ');
  console.log(`  ${outcome.kind.padEnd(11)} ${cell.id.padEnd(28)} ${line}${reasonOf(outcome)}`);
  if (outcome.kind !== 'failed') return;
  console.log(`    promised: ${outcome.promised}\n    seen: ${outcome.seen}`);
}

function reasonOf(outcome: CellResult['outcome']): string {
  if (outcome.kind === 'not-run') return outcome.reason;
  return outcome.kind === 'not-claimed' ? outcome.claim : '';
}

function summary(results: readonly CellResult[]): string {
  const sum = (name: 'killed' | 'states' | 'injected' | 'stopped') =>
    results.reduce((total, { figures }) => total + (figures?.[name] ?? 0), 0);
  const inconsistent = results.reduce((total, { figures }) => total + (figures?.inconsistent.length ?? 0), 0);
  const count = (kind: string) => results.filter(({ outcome }) => outcome.kind === kind).length;
  return [
    `${sum('killed')} processes killed, ${sum('states')} power-loss states, ${sum('injected')} I/O errors,`,
    `${sum('stopped')} stopped runs, ${inconsistent} inconsistent;`,
    `${results.length} cells: ${count('failed')} failed, ${count('not-run')} not run`,
  ].join(' ');
}
