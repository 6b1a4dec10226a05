import { type Clock, decode, type PruneResult } from '@lousho/core/contract';
import type { IdIndex } from './id-index.js';
import type { Keys } from './keys.js';
import type { RedisApprovalTable } from './redis-approval-table.js';
import type { RedisLink } from './redis-link.js';
import type { RedisSessionTable } from './redis-session-table.js';
import type { RunRecords } from './run-records.js';
import { PRUNE_RUN } from './run-scripts.js';

export interface PrunerParts {
  readonly link: RedisLink;
  readonly keys: Keys;
  readonly clock: Clock | undefined;
  readonly runs: { readonly records: RunRecords; readonly index: IdIndex };
  readonly approvals: { readonly table: RedisApprovalTable; readonly index: IdIndex };
  readonly sessions: { readonly table: RedisSessionTable; readonly index: IdIndex };
}

/** Records looked at together, so that a big prune lets other work in between. */
const CHUNK = 100;

/** Removes what nobody needs any more. Each record decides in the step that removes it, by its own server's time. */
export class Pruner {
  readonly #parts: PrunerParts;

  constructor(parts: PrunerParts) {
    this.#parts = parts;
  }

  /** `age` in milliseconds. */
  async prune(age: number): Promise<PruneResult> {
    const { approvals, runs, sessions } = this.#parts;
    return {
      checkpoints: await this.#each(runs.index, (id) => this.#pruneRun(id, age)),
      approvals: await this.#each(approvals.index, (id) =>
        approvals.table.prune(id, age, (body) => this.#isAwaited(body)),
      ),
      sessions: await this.#each(sessions.index, (id) =>
        sessions.table.prune(id, age, () => runs.records.isActive(id)),
      ),
    };
  }

  async #each(index: IdIndex, prune: (id: string) => Promise<boolean>): Promise<number> {
    let count = 0;
    for (let after = ''; ; ) {
      const ids = await index.page('all', after, CHUNK);
      const removed = await Promise.all(ids.map(prune));
      count += removed.filter(Boolean).length;
      const last = ids.at(-1);
      if (last === undefined || ids.length < CHUNK) return count;
      after = last;
    }
  }

  /** A deleted checkpoint's history goes as well, but was counted by nobody as a checkpoint. */
  async #pruneRun(id: string, age: number): Promise<boolean> {
    const { clock, keys, link, runs } = this.#parts;
    const args = [clock?.now() ?? '', age];
    const reply = await link.run({ script: PRUNE_RUN, keys: keys.run(id), args, effect: 'write' });
    const [removed, registration] = reply as [string, string?];
    if (removed === 'none') runs.index.sweep([id], 'drop');
    if (registration !== undefined) runs.index.drop(id, registration);
    return removed === 'run';
  }

  /** A decision stays readable until its run has moved past it. */
  async #isAwaited(body: string): Promise<boolean> {
    const active = await Promise.all(runsOf(body).map((id) => this.#parts.runs.records.isActive(id)));
    return active.includes(true);
  }
}

/** The ids of the runs that an approval names. */
function runsOf(body: string): string[] {
  type Named = { sessionId?: unknown };
  try {
    const { approval, snapshot } = decode(body) as { approval?: Named; snapshot?: Named & { run?: Named } };
    return [approval?.sessionId, snapshot?.sessionId, snapshot?.run?.sessionId].filter(
      (id) => typeof id === 'string',
    );
  } catch {
    return [];
  }
}
