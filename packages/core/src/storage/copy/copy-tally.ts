import type { CopyOptions, CopyOutcome, CopyReport } from './copy-options.js';

type Part = 'checkpoint' | 'session' | 'approval';

/** Counts what became of each record. */
export class CopyTally {
  historyEntries = 0;
  readonly #seen = new Set<string>();
  readonly #copied: Record<Part, number> = { checkpoint: 0, session: 0, approval: 0 };
  readonly #others = { unchanged: 0, moved: 0 };
  readonly #left: Record<'busy' | 'newer' | 'unreadable', string[]> = { busy: [], newer: [], unreadable: [] };

  constructor(readonly tell: CopyOptions['onRecord']) {}

  count(part: Part, id: string, outcome: CopyOutcome): void {
    const record = `${part} ${id}`;
    // Copied with its run; looked at once more to be closed.
    if (this.#seen.has(record)) return;
    this.#seen.add(record);
    switch (outcome) {
      case 'copied':
        this.#copied[part] += 1;
        break;
      case 'unchanged':
      case 'moved':
        this.#others[outcome] += 1;
        break;
      case 'busy':
      case 'newer':
      case 'unreadable':
        this.#left[outcome].push(record);
        break;
      default:
        outcome satisfies never;
    }
    this.tell?.(record, outcome);
  }

  report(): CopyReport {
    const { checkpoint, session, approval } = this.#copied;
    return {
      checkpoints: checkpoint,
      historyEntries: this.historyEntries,
      approvals: approval,
      sessions: session,
      ...this.#others,
      ...this.#left,
      isComplete: Object.values(this.#left).every((records) => records.length === 0),
    };
  }
}
