import type { Clock, SessionRow, SessionTable } from '@lousho/core/contract';
import type { FloorLog } from './floor-log.js';
import { idsWith } from './list-ids.js';
import type { Decision, LogCollection } from './log-collection.js';
import { DamagedLogError } from './log-errors.js';
import { type ClearRecord, type CommitRecord, commitOf, type SessionState } from './session-fold.js';

export interface FileSessionTableParts {
  readonly logs: LogCollection<SessionState>;
  readonly floor: FloorLog;
  readonly clock: Clock;
}

type Answer = boolean | { readonly needsFloorOf: string };

/** Revisions that an unreadable part of a log may have given out beyond those that can be read. */
const UNREADABLE_MARGIN = 1_000;

export class FileSessionTable implements SessionTable {
  constructor(readonly parts: FileSessionTableParts) {}

  async get(id: string): Promise<SessionRow | null> {
    const row = await this.parts.logs.read(id, ({ revision, messages }) => ({ revision, messages }));
    return row && row.revision > 0 ? row : null;
  }

  async putIf(id: string, expected: number, messages: string): Promise<boolean> {
    const { logs, floor, clock } = this.parts;
    let base: { readonly birth: string; readonly floor: number } | undefined;
    for (;;) {
      // Only a commit that can succeed makes a log.
      const access = expected === 0 ? 'create' : 'write';
      const answer = await logs.transact(id, access, (state, birth): Decision<Answer> => {
        const stored = state.messages === null ? 0 : state.revision;
        if (stored !== expected) return { answer: false };
        // Nothing was committed in this log yet: a removed one of the same id may have given out revisions.
        if (state.revision === 0 && base?.birth !== birth) return { answer: { needsFloorOf: birth } };
        const { shared, text } = commitOf(state.messages, messages);
        const revision = Math.max(state.revision, base?.floor ?? 0) + 1;
        const record: CommitRecord = { k: 'commit', revision, shared, changedAt: clock.now() };
        return { answer: true, append: { fields: record, texts: [text] } };
      });
      if (typeof answer !== 'object') return answer ?? false;
      base = { birth: answer.needsFloorOf, floor: await floor.under(answer.needsFloorOf) };
    }
  }

  ids(): Promise<readonly string[]> {
    return idsWith(this.parts.logs, ({ messages }) => messages !== null);
  }

  async delete(id: string): Promise<void> {
    const record: ClearRecord = { k: 'clear', changedAt: this.parts.clock.now() };
    try {
      await this.parts.logs.transact(id, 'write', ({ messages }) => ({
        answer: undefined,
        ...(messages !== null && { append: { fields: record, texts: [] } }),
      }));
    } catch (error) {
      if (!(error instanceof DamagedLogError)) throw error;
      await this.parts.floor.raise(error.highest + UNREADABLE_MARGIN);
      if (!(await this.parts.logs.discard(id))) await this.delete(id);
    }
  }

  /** Removes a session's log, after making sure that no later log of the id gives out its revisions again. */
  async purge(id: string, isPurgeable: (state: SessionState) => boolean): Promise<boolean> {
    const revision = await this.parts.logs.read(id, (state) => (isPurgeable(state) ? state.revision : -1));
    if (revision === undefined || revision < 0) return false;
    await this.parts.floor.raise(revision);
    return this.parts.logs.purge(id, (state) => state.revision === revision && isPurgeable(state));
  }
}
