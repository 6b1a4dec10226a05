import type { Fold } from './fold.js';
import type { LogCollection } from './log-collection.js';

interface FloorState {
  floor: number;
}

interface RaiseRecord {
  readonly k: 'raise';
  readonly to: number;
}

export const floorFold: Fold<FloorState> = {
  noun: 'floor',
  empty: () => ({ floor: 0 }),
  apply: (state, entry) => {
    const { k, to } = entry.fields as unknown as RaiseRecord;
    if (k !== 'raise' || to <= state.floor) return 'it does not raise the floor';
    state.floor = to;
    return undefined;
  },
  snapshot: ({ floor }) => ({ fields: { floor }, texts: [] }),
  restore: ({ fields }) => ({ floor: fields.floor as number }),
  size: () => 0,
  revision: () => undefined,
  highest: ({ floor }) => floor,
};

/**
 * The highest number that a removed log has given out. A later log of the same id starts above it, so that no epoch and no revision
 * comes twice though nothing of the id is left. It is raised before a log is removed and read after a new one was opened.
 */
export class FloorLog {
  readonly #known = new Map<string, number>();

  constructor(
    readonly logs: LogCollection<FloorState>,
    readonly id: string,
  ) {}

  /** The floor for the log that was opened as `birth`. */
  async under(birth: string): Promise<number> {
    const known = this.#known.get(birth);
    if (known !== undefined) return known;
    const floor = (await this.logs.read(this.id, (state) => state.floor)) ?? 0;
    this.#known.clear();
    this.#known.set(birth, floor);
    return floor;
  }

  async raise(to: number): Promise<void> {
    if (to === 0) return;
    await this.logs.transact(this.id, 'create', ({ floor }) => ({
      answer: floor,
      ...(floor < to && { append: { fields: { k: 'raise', to } satisfies RaiseRecord, texts: [] } }),
    }));
  }
}
