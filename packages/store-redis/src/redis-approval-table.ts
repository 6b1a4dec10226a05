import { type ApprovalRow, type ApprovalTable, type Clock, compareIds, isoTime } from '@lousho/core/contract';
import {
  DECIDE,
  DELETE_APPROVAL,
  OLD_APPROVAL,
  PRUNE_APPROVAL,
  PUT_APPROVAL,
  READ_APPROVAL,
} from './approval-scripts.js';
import type { IdIndex } from './id-index.js';
import type { Keys } from './keys.js';
import type { Nonces } from './nonces.js';
import type { RedisLink } from './redis-link.js';

export interface RecordsParts {
  readonly link: RedisLink;
  readonly keys: Keys;
  readonly index: IdIndex;
  readonly nonces: Nonces;
  readonly clock: Clock | undefined;
  readonly opened: () => Promise<void>;
}

/** How many approvals are asked for at a time. */
const PAGE = 500;

export class RedisApprovalTable implements ApprovalTable {
  readonly #parts: RecordsParts;

  constructor(parts: RecordsParts) {
    this.#parts = parts;
  }

  async put(row: Omit<ApprovalRow, 'decision'>): Promise<void> {
    const { index, keys, link, opened } = this.#parts;
    await opened();
    const deadline = link.deadline();
    for (;;) {
      const registration = await index.register(row.id, true, deadline);
      // As a number: texts of one instant may differ in their time zone and their digits.
      const args = [Date.parse(row.createdAt), row.body, registration];
      const call = { script: PUT_APPROVAL, keys: [keys.approval(row.id)], args, effect: 'write' } as const;
      const answer = await link.run({ ...call, deadline });
      if (answer === 'decided') index.close(row.id, registration);
      if (answer !== 'register') return;
    }
  }

  async get(id: string): Promise<ApprovalRow | null> {
    await this.#parts.opened();
    return this.#read(id);
  }

  async undecided(): Promise<readonly ApprovalRow[]> {
    const { index, opened } = this.#parts;
    await opened();
    const found: ApprovalRow[] = [];
    for (let after = ''; ; ) {
      const ids = await index.page('open', after, PAGE);
      const rows = await Promise.all(ids.map((id) => this.#read(id)));
      found.push(...rows.flatMap((row) => (row?.decision === null ? [row] : [])));
      index.sweep(
        ids.filter((_, at) => rows[at]?.decision !== null),
        'close',
      );
      const last = ids.at(-1);
      if (last === undefined || ids.length < PAGE) return found.sort(byAge);
      after = last;
    }
  }

  async ids(): Promise<readonly string[]> {
    const { index, opened } = this.#parts;
    await opened();
    return index.existing(async (id) => (await this.#read(id)) !== null);
  }

  async decide(id: string, decision: string): Promise<'decided' | 'already-decided' | 'not-found'> {
    const { index, nonces, opened } = this.#parts;
    await opened();
    const args = [this.#now(), decision, nonces.next()];
    const [answer, registration] = (await this.#run(DECIDE, id, args, 'write')) as [string, string];
    index.close(id, registration);
    return answer as 'decided' | 'already-decided' | 'not-found';
  }

  async delete(id: string): Promise<void> {
    const { index, opened } = this.#parts;
    await opened();
    const registration = await this.#run(DELETE_APPROVAL, id, [], 'write');
    if (registration) index.drop(id, String(registration));
  }

  /** Removes the approval if it was decided more than `age` ago and nobody `needs` it. */
  async prune(id: string, age: number, isNeeded: (body: string) => Promise<boolean>): Promise<boolean> {
    const { index } = this.#parts;
    const reply = await this.#run(OLD_APPROVAL, id, [this.#now(), age], 'idle');
    const [state, body, registration] = reply as [string, string?, string?];
    if (state === 'none') index.sweep([id], 'drop');
    if (body === undefined || registration === undefined || (await isNeeded(body))) return false;
    const removed = await this.#run(PRUNE_APPROVAL, id, [registration], 'write');
    if (Number(removed) === 0) return false;
    index.drop(id, registration);
    return true;
  }

  async #read(id: string): Promise<ApprovalRow | null> {
    const reply = await this.#run(READ_APPROVAL, id, [], 'idle');
    const [createdAt, body, decision] = reply as (string | null)[];
    if (typeof createdAt !== 'string' || typeof body !== 'string') return null;
    return { id, createdAt: isoTime(Number(createdAt)), body, decision: decision ?? null };
  }

  #run(
    script: typeof DECIDE,
    id: string,
    args: readonly (string | number)[],
    effect: 'write' | 'idle',
  ): Promise<unknown> {
    const { keys, link } = this.#parts;
    return link.run({ script, keys: [keys.approval(id)], args, effect });
  }

  #now(): number | '' {
    return this.#parts.clock?.now() ?? '';
  }
}

function byAge(a: ApprovalRow, b: ApprovalRow): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || compareIds(a.id, b.id);
}
