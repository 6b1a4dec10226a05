import { compareIds, type SessionRow, type SessionTable } from '@lousho/core/contract';
import { type ReferenceParts, step } from './reference-parts.js';

/** Transcripts as rows; core's `TableSessionStore` checks and encodes. */
export class ReferenceSessions implements SessionTable {
  constructor(readonly parts: ReferenceParts) {}

  get(id: string): Promise<SessionRow | null> {
    return step(this.parts, 'sessions.load', () => this.parts.storage.transcripts.get(id) ?? null);
  }

  putIf(id: string, expected: number, messages: string): Promise<boolean> {
    return step(this.parts, 'sessions.saveIf', () => this.putIfNow(id, expected, messages));
  }

  ids(): Promise<readonly string[]> {
    return step(this.parts, 'sessions.ids', () => this.idsNow());
  }

  delete(id: string): Promise<void> {
    return step(this.parts, 'sessions.delete', () => this.deleteNow(id));
  }

  putIfNow(id: string, expected: number, messages: string): boolean {
    const { transcripts } = this.parts.storage;
    const stored = transcripts.get(id);
    const current = stored && stored.messages !== null ? stored.revision : 0;
    if (current !== expected) return false;
    transcripts.set(id, {
      revision: (stored?.revision ?? 0) + 1,
      messages,
      savedAt: this.parts.clock.now(),
    });
    return true;
  }

  idsNow(): readonly string[] {
    const kept = [...this.parts.storage.transcripts].filter(([, { messages }]) => messages !== null);
    return kept.map(([id]) => id).sort(compareIds);
  }

  deleteNow(id: string): void {
    const { transcripts } = this.parts.storage;
    const stored = transcripts.get(id);
    // The revision stays behind, so that none is used twice.
    if (stored) transcripts.set(id, { ...stored, messages: null });
  }
}
