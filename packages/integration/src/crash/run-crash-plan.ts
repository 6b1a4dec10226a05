import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoreName } from '../stores/store-names.js';
import { giveClocks, killChildren } from './child.js';
import type { CrashPlan } from './crash-arguments.js';
import type { CrashSetup, CrashTest } from './crash-test.js';
import { untimed } from './figure.js';
import type { Progress } from './progress.js';
import { emptyFolder } from './rounds.js';
import { SkewedClocks } from './skewed-clocks.js';
import { BROKEN, crashTable, isKept, type StoreOutcome } from './table.js';

/** Runs a plan's tests one after another and prints each one's table; resolves with whether everything is as promised. */
export async function runCrashPlan(
  plan: CrashPlan,
  progress: Progress,
  print: (text: string) => void,
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'lousho-crash-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  if (!plan.keepsFolders) process.on('exit', removeFolder);
  let allKept = true;
  let skewed = 0;
  for (const test of plan.tests) {
    const outcomes: StoreOutcome[] = [];
    for (const store of plan.stores) {
      const setup = setupOf(plan, test, store, { folder, progress });
      const clocks = plan.faketime === undefined ? undefined : new SkewedClocks(plan.faketime);
      outcomes.push({ store, outcome: judged(plan, await outcomeOf(test, setup, clocks)) });
      skewed += clocks?.skewed ?? 0;
    }
    progress.clear();
    print(`${crashTable(test, outcomes)}\n`);
    allKept &&= outcomes.every(isKept);
  }
  if (plan.keepsFolders) print(`Kept: ${folder}`);
  if (plan.faketime === undefined) return allKept;
  print(`Child processes whose wall clock was an hour off: ${skewed > 0 ? skewed : `${BROKEN} none`}`);
  return allKept && skewed > 0;
}

function judged({ isUntimed }: CrashPlan, outcome: StoreOutcome['outcome']): StoreOutcome['outcome'] {
  if (!isUntimed || outcome.kind !== 'measured') return outcome;
  return { ...outcome, figures: outcome.figures.map(untimed) };
}

function setupOf(
  { rounds, processes }: CrashPlan,
  test: CrashTest,
  store: StoreName,
  { folder, progress }: { folder: string; progress: Progress },
): CrashSetup {
  return {
    store,
    folder: emptyFolder(folder, join(test.name, store)),
    ...(rounds !== undefined && { rounds }),
    ...(processes !== undefined && { processes }),
    progress: (done, total) => progress.at(`${test.name} on ${store}`, done, total),
  };
}

async function outcomeOf(
  test: CrashTest,
  setup: CrashSetup,
  clocks: SkewedClocks | undefined,
): Promise<StoreOutcome['outcome']> {
  setup.progress(0, 1);
  giveClocks(clocks);
  try {
    const outcome = await test.run(setup);
    if (!clocks || outcome.kind !== 'measured') return outcome;
    return { ...outcome, figures: [...outcome.figures, ...clocks.figures()] };
  } catch (error) {
    return { kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
  } finally {
    killChildren();
  }
}
