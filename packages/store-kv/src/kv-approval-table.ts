import { type ApprovalRow, type ApprovalTable, compareIds, SDKError } from '@lousho/core/contract';
import { SETTLE_MS } from './kv-leases.js';
import type { KvParts } from './kv-parts.js';
import { assertValueSize } from './kv-values.js';

/** An approval as its key holds it. */
export interface StoredApproval extends ApprovalRow {
  /** Wall-clock milliseconds. */
  readonly decidedAt: number | null;
}

/** Stands beside an approval's key, so that a listing need not read the decided ones. */
export interface ApprovalFacts {
  readonly decidedAt?: number;
}

interface Claim {
  readonly token: string;
  /** Wall-clock milliseconds. */
  readonly expiresAt: number;
}

const CLAIM_SECONDS = 60;
/** A decision whose maker is still writing is waited for; a maker that died leaves its claim for a minute. */
const DECISION_WAITS = 20;

/** Approvals, one key each. Who decides claims the approval first, waits, and looks whether the claim is still its own. */
export class KvApprovalTable implements ApprovalTable {
  constructor(readonly parts: KvParts) {}

  put(row: Omit<ApprovalRow, 'decision'>): Promise<void> {
    const stored: StoredApproval = { ...row, decision: null, decidedAt: null };
    assertValueSize(`approval ${row.id}`, JSON.stringify(stored));
    return this.#serially(row.id, async () => {
      const before = await this.read(row.id);
      if (before?.decision != null) return;
      await this.parts.values.put(this.parts.keys.approval(row.id), JSON.stringify(stored));
    });
  }

  get(id: string): Promise<ApprovalRow | null> {
    return this.read(id);
  }

  async undecided(): Promise<readonly ApprovalRow[]> {
    const rows: StoredApproval[] = [];
    for await (const { id, facts } of this.facts()) {
      const row = facts.decidedAt === undefined ? await this.read(id) : null;
      if (row && row.decision === null) rows.push(row);
    }
    return rows.sort(byAge);
  }

  decide(id: string, decision: string): Promise<'decided' | 'already-decided' | 'not-found'> {
    return this.#serially(id, async () => {
      for (let waits = 0; ; waits++) {
        const row = await this.read(id);
        if (!row) return 'not-found';
        if (row.decision !== null) return 'already-decided';
        const claim = await this.#claim(id);
        if (claim) {
          const answer = await this.#record(id, decision);
          await this.parts.values.delete(this.parts.keys.claim(id));
          return answer;
        }
        if (waits >= DECISION_WAITS) {
          throw new SDKError(
            'LOUSHO_STORAGE_BUSY',
            `approval ${id}: somebody else is deciding it, or died doing so; it is free after ${CLAIM_SECONDS} s`,
          );
        }
        await this.parts.settings.sleep(SETTLE_MS);
      }
    });
  }

  delete(id: string): Promise<void> {
    return this.#serially(id, () => this.parts.values.delete(this.parts.keys.approval(id)));
  }

  async read(id: string): Promise<StoredApproval | null> {
    const text = await this.parts.values.get(this.parts.keys.approval(id));
    return text === null ? null : (JSON.parse(text) as StoredApproval);
  }

  async ids(): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const { id } of this.facts()) ids.push(id);
    return ids;
  }

  async *facts(): AsyncGenerator<{ id: string; facts: ApprovalFacts }, void, undefined> {
    const { keys, values } = this.parts;
    for await (const { name, metadata } of values.keys(keys.approvals)) {
      const id = name.slice(keys.approvals.length);
      if (!id.includes('#')) yield { id, facts: (metadata ?? {}) as ApprovalFacts };
    }
  }

  /** Whether this call may decide. The claim is written only where none stands. */
  async #claim(id: string): Promise<boolean> {
    const { keys, values, settings } = this.parts;
    const key = keys.claim(id);
    if (await this.#standing(key)) return false;
    const token = crypto.randomUUID();
    const claim: Claim = { token, expiresAt: settings.clock.now() + CLAIM_SECONDS * 1_000 };
    const put = await values.putNow(key, JSON.stringify(claim), { expirationTtl: CLAIM_SECONDS });
    if (put.kind === 'refused') return false;
    await settings.sleep(SETTLE_MS);
    return (await this.#standing(key))?.token === token;
  }

  async #standing(key: string): Promise<Claim | undefined> {
    const text = await this.parts.values.get(key);
    const claim = text === null ? undefined : (JSON.parse(text) as Claim);
    return claim && this.parts.settings.clock.now() < claim.expiresAt ? claim : undefined;
  }

  async #record(id: string, decision: string): Promise<'decided' | 'already-decided' | 'not-found'> {
    const row = await this.read(id);
    if (!row) return 'not-found';
    if (row.decision !== null) return 'already-decided';
    const decidedAt = this.parts.settings.clock.now();
    const text = JSON.stringify({ ...row, decision, decidedAt });
    assertValueSize(`approval ${id}`, text);
    const metadata: ApprovalFacts = { decidedAt };
    await this.parts.values.put(this.parts.keys.approval(id), text, { metadata });
    return 'decided';
  }

  #serially<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.parts.queues.run(this.parts.keys.approval(id), work);
  }
}

/** By the instant, not by its text: `…00Z` is earlier than `…00.500Z`. */
function byAge(a: ApprovalRow, b: ApprovalRow): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || compareIds(a.id, b.id);
}
