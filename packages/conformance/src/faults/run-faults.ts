import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConformanceHarness } from '../model/harness.js';
import type { Outcome } from '../model/outcome.js';
import { NotRun } from '../model/violation.js';
import { type Probe, probe } from '../run/probe.js';
import { missingClaim } from '../run/select.js';
import type { Bench, CellResult, FaultCell, Figures } from './cell.js';
import { CELLS } from './cells/index.js';
import { flowNamed } from './flows/index.js';
import type { Killer } from './kill/killer.js';
import { type Inspector, startInspector } from './process/start-inspector.js';
import { prepareScene, type Scene } from './scene.js';

export interface FaultOptions {
  /** Cells by their id or its beginning: `kill`, `kill:F1`. Default all. */
  readonly cells?: readonly string[];
  /** `sampled` (default) takes a minute for a store on disk, `full` every point. */
  readonly size?: 'sampled' | 'full';
  /** Processes at work at once. Default 2. */
  readonly lanes?: number;
  readonly seed?: number;
  /** Ends a cell with the first broken promise that it sees: enough for a store that must break one. */
  readonly untilFirst?: boolean;
  /** How processes are killed. Default: by strace where it may be used, else by a shim of `node:fs` in the process itself. */
  readonly killBy?: Killer['mode'];
  readonly onResult?: (result: CellResult) => void;
}

/** Lets a store's processes and disk fail in every way that this machine can bring about. Never rejects for what the store does. */
export async function runFaults(
  harness: ConformanceHarness,
  options: FaultOptions = {},
): Promise<readonly CellResult[]> {
  const found = await probe(harness);
  const work = workFolder();
  const inspectors = await Promise.all(Array.from({ length: options.lanes ?? 2 }, () => startInspector()));
  const results: CellResult[] = [];
  try {
    const scenes = new Map<string, Promise<Scene>>();
    const scene = (flow: string) => {
      const prepared = scenes.get(flow) ?? prepareScene(harness, flowNamed(flow), join(work, flow));
      scenes.set(flow, prepared);
      return prepared;
    };
    for (const cell of CELLS.filter(({ id }) => isAskedFor(id, options.cells))) {
      const bench = { harness, claims: found.claims, work: join(work, 'cell'), scene, inspectors };
      const { size = 'sampled', seed = 1, untilFirst = false, killBy } = options;
      const sized = { ...bench, size, seed, untilFirst };
      const result = await runCell(cell, found, { ...sized, ...(killBy && { killBy }) });
      results.push(result);
      options.onResult?.(result);
    }
    return results;
  } finally {
    await Promise.all(inspectors.map((inspector: Inspector) => inspector.end()));
    rmSync(work, { recursive: true, force: true });
  }
}

async function runCell(cell: FaultCell, found: Probe, bench: Bench): Promise<CellResult> {
  const claim = missingClaim(cell.needs, found);
  if (claim !== undefined) return { cell, outcome: { kind: 'not-claimed', claim } };
  const startedAt = performance.now();
  const ms = () => Math.round(performance.now() - startedAt);
  try {
    const figures = await cell.run(bench);
    return { cell, figures, outcome: outcomeOf(cell, figures, ms()) };
  } catch (error) {
    if (error instanceof NotRun) return { cell, outcome: { kind: 'not-run', reason: error.reason } };
    const seen = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { cell, outcome: { kind: 'failed', because: 'error', promised: cell.says, seen, ms: ms() } };
  }
}

function outcomeOf(cell: FaultCell, { inconsistent }: Figures, ms: number): Outcome {
  const [first, ...more] = inconsistent;
  if (first === undefined) return { kind: 'passed', ms };
  const seen = more.length === 0 ? first : `${first} (and ${more.length} more)`;
  return { kind: 'failed', because: 'violation', promised: cell.says, seen, ms };
}

function isAskedFor(id: string, names: readonly string[] | undefined): boolean {
  return names === undefined || names.some((name) => id === name || id.startsWith(`${name}:`));
}

/** In memory where there is such a disk: what is tested are the calls, and nothing here has to survive. */
function workFolder(): string {
  const root = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  return realpathSync(mkdtempSync(join(root, 'lousho-faults-')));
}
