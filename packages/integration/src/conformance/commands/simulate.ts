import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { checkLinearizable, type History } from '@lousho/conformance/checkers';
import {
  BROKEN,
  EQUIVALENT,
  type ScheduleResult,
  type SimulatedWorld,
  simulate,
  simulateMutant,
  simulateSchedule,
} from '@lousho/conformance/simulation';
import { type Seeds, SimulationCores } from '../simulation/simulate-on-cores.js';
import { WORLDS } from '../simulation/worlds.js';

const USAGE = `npm run conformance -- simulate [--schedules N] [--world ${[...WORLDS.keys()].join('|')}] [--seed N] [--cores N] [--checker] [--mutants]
  --schedules N  schedules per world, from seed 1 on or from --seed on; default 2000
  --cores N      how many threads take schedules; default: as many as this machine has
  --seed N       alone: this one schedule, twice, with its event hash
  --checker      how fast the recorded histories are judged
  --mutants      what is broken on purpose: in how many schedules it is found`;

/** The real executor over simulated time and faults. Exit code 1 when something was found in what is not broken on purpose. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      schedules: { type: 'string' },
      seed: { type: 'string' },
      cores: { type: 'string' },
      world: { type: 'string' },
      checker: { type: 'boolean' },
      mutants: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const world = values.world === undefined ? undefined : WORLDS.get(values.world);
  const [schedules, seed, cores] = [values.schedules, values.seed, values.cores].map(
    (text) => text && Number.parseInt(text, 10),
  );
  if (
    values.help ||
    (values.world !== undefined && !world) ||
    Number.isNaN(schedules) ||
    Number.isNaN(seed) ||
    Number.isNaN(cores)
  ) {
    console.log(USAGE);
    return values.help ? 0 : 2;
  }
  const worlds = world ? [world] : [...WORLDS.values()];
  if (values.mutants) return findMutants();
  if (values.checker) return timeChecker(worlds, Number(schedules ?? 300));
  if (typeof seed === 'number' && schedules === undefined) return replay(worlds, seed);
  return runMany(worlds, {
    schedules: Number(schedules ?? 2_000),
    seed: Number(seed ?? 1),
    cores: Number(cores ?? availableParallelism()),
  });
}

async function runMany(
  worlds: readonly SimulatedWorld[],
  seeds: Seeds & { readonly cores: number },
): Promise<number> {
  const cores = new SimulationCores(seeds.cores);
  let failures = 0;
  for (const world of worlds) {
    const [startedAt, before] = [performance.now(), process.cpuUsage()];
    const result = await cores.simulate(world, seeds);
    const seconds = (performance.now() - startedAt) / 1_000;
    const { user, system } = process.cpuUsage(before);
    for (const failure of result.failures) report({ ...failure, world: world.name });
    failures += result.failures.length;
    const each = (total: number) => (total / result.schedules).toFixed(1);
    console.log(
      [
        `${world.name.padEnd(9)} ${result.schedules} schedules in ${seconds.toFixed(1)} s`,
        `${(result.schedules / seconds).toFixed(0)}/s on ${cores.count} cores, ${(result.schedules / ((user + system) / 1e6)).toFixed(0)}/s of one core's time`,
        `${(result.virtualMs / 3.6e6).toFixed(0)} virtual hours, ${(result.virtualMs / 1_000 / seconds).toFixed(0)} times real time`,
        `each ${each(result.events)} events, ${each(result.calls)} lease and save calls, ${each(result.effects)} effects, ${each(result.crashes)} crashes, ${each(result.stalls)} stalls`,
        `${result.failures.length} violations`,
      ].join('; '),
    );
  }
  await cores.end();
  return failures > 0 ? 1 : 0;
}

/** Without the schedules: only the search for an order that explains the answers. */
async function timeChecker(worlds: readonly SimulatedWorld[], schedules: number): Promise<number> {
  const histories: History[] = [];
  for (const world of worlds) {
    const onSchedule = (result: ScheduleResult) => histories.push(...result.histories);
    await simulate(world, { schedules, onSchedule });
  }
  const startedAt = performance.now();
  const verdicts = histories.map((history) => checkLinearizable(history));
  const seconds = (performance.now() - startedAt) / 1_000;
  const calls = histories.reduce((sum, history) => sum + history.calls.length, 0);
  const undecided = verdicts.filter(({ kind }) => kind === 'undecided').length;
  console.log(
    `${histories.length} histories of ${(calls / histories.length).toFixed(0)} calls: ${(histories.length / seconds).toFixed(0)}/s, ${undecided} undecided`,
  );
  return undecided > 0 ? 1 : 0;
}

async function replay(worlds: readonly SimulatedWorld[], seed: number): Promise<number> {
  let isBad = false;
  for (const world of worlds) {
    const [first, second] = [await simulateSchedule(world, seed), await simulateSchedule(world, seed)];
    const isSame = first.hash === second.hash;
    if (first.violations.length > 0) report(first);
    console.log(
      `${world.name.padEnd(9)} seed ${seed}: hash ${first.hash}, ${isSame ? 'the same again' : `then ${second.hash}`}; ${first.events} events, ${first.violations.length} violations`,
    );
    isBad ||= !isSame || first.violations.length > 0;
  }
  return isBad ? 1 : 0;
}

function report({ seed, world, violations }: Pick<ScheduleResult, 'seed' | 'world' | 'violations'>): void {
  console.log(`\n${world}, seed ${seed}:`);
  for (const violation of violations) console.log(`  ${violation.replaceAll('\n', '\n    ')}`);
  console.log(`  replay: npm run conformance -- simulate --seed ${seed} --world ${world}\n`);
}

async function findMutants(): Promise<number> {
  let missed = 0;
  for (const { within, ...mutant } of BROKEN) {
    const finding = await simulateMutant(mutant, { schedules: within });
    const what = finding.isFound
      ? `found in schedule ${finding.schedules} of at most ${within}: ${finding.failure.violations[0]?.split('\n')[0]}`
      : `NOT found in ${within} schedules`;
    console.log(`${mutant.name.padEnd(26)} ${what}`);
    if (!finding.isFound) missed += 1;
  }
  for (const mutant of EQUIVALENT) {
    const finding = await simulateMutant(mutant, { schedules: 1_000 });
    console.log(`${mutant.name.padEnd(26)} ${finding.isFound ? 'FOUND' : 'clean'} (equivalent)`);
    if (finding.isFound) missed += 1;
  }
  return missed > 0 ? 1 : 0;
}
