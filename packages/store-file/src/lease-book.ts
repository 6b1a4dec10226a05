import type { Lease, LeaseRef } from '@lousho/core/contract';
import { type HostClock, leaseTerm, processIdentity } from '@lousho/core/node';
import type { AcquireRecord, ReleaseRecord, RenewRecord } from './checkpoint-records.js';
import type { CheckpointState } from './checkpoint-state.js';
import type { FloorLog } from './floor-log.js';
import { encodeBeat } from './heartbeat.js';
import type { HeartbeatFile } from './heartbeat-file.js';
import type { BeatRef, HeldLease } from './held-lease.js';
import type { LeaseJudge } from './lease-judge.js';
import type { Decision, LogCollection } from './log-collection.js';

export interface LeaseBookParts {
  readonly logs: LogCollection<CheckpointState>;
  readonly floor: FloorLog;
  readonly judge: LeaseJudge;
  readonly clock: HostClock;
  readonly heartbeats: HeartbeatFile;
}

/** A lease that this store object holds, as far as it knows. */
interface OwnLease extends LeaseRef {
  readonly epoch: number;
  readonly ttlMs: number;
  readonly beat: BeatRef;
  /** On the monotonic clock. */
  livesUntilMs: number;
}

/** A claim on an id under way: what its record will say, and the slot that it took if it needed one. */
interface Claim extends LeaseRef {
  readonly ttlMs: number;
  beat: BeatRef | undefined;
  livesUntilMs: number;
}

type Answer = number | 'held' | { readonly needsFloorOf: string };

/** The leases of one store object: taken and given back in the logs, renewed all at once by one write of the heartbeat file. */
export class LeaseBook {
  readonly #own = new Map<string, OwnLease>();

  constructor(readonly parts: LeaseBookParts) {}

  async acquire(sessionId: string, owner: string, ttlMs: number): Promise<Lease | false> {
    const claim = this.#claim({ sessionId, owner }, ttlMs);
    const epoch = await this.#settle(claim, async () => {
      let base: { readonly birth: string; readonly floor: number } | undefined;
      for (;;) {
        const answer = await this.parts.logs.transact(sessionId, 'create', (state, birth) =>
          this.#decideAcquire(claim, state, { birth, floor: base?.birth === birth ? base.floor : undefined }),
        );
        if (typeof answer !== 'object') return answer;
        const birth = answer.needsFloorOf;
        base = { birth, floor: await this.parts.floor.under(birth) };
      }
    });
    return epoch !== undefined && { epoch };
  }

  async renew(refs: readonly LeaseRef[], ttlMs: number): Promise<readonly boolean[]> {
    const beaten = this.#beat(refs, ttlMs);
    return Promise.all(
      refs.map((ref) => {
        const own = beaten.get(keyOf(ref));
        return own ? this.#stands(own) : this.#renewInLog(ref, ttlMs);
      }),
    );
  }

  async release(sessionId: string, owner: string): Promise<void> {
    await this.parts.logs.transact(sessionId, 'write', ({ lease }): Decision<void> => {
      if (lease?.owner !== owner) return { answer: undefined };
      const record: ReleaseRecord = { k: 'release', epoch: lease.epoch };
      return { answer: undefined, append: { fields: record, texts: [] } };
    });
    this.#forget({ sessionId, owner });
  }

  #decideAcquire(
    claim: Claim,
    state: CheckpointState,
    incarnation: { readonly birth: string; readonly floor: number | undefined },
  ): Decision<Answer> {
    const { lease } = state;
    if (lease?.owner === claim.owner) return this.#renewal(claim, lease);
    const because = this.parts.judge.takeable(lease);
    if (because === null) return { answer: 'held' };
    // Nobody has held this log yet, but a removed one of the same id may have given out epochs.
    if (state.epoch === 0 && incarnation.floor === undefined) {
      return { answer: { needsFloorOf: incarnation.birth } };
    }
    const epoch = Math.max(state.epoch, incarnation.floor ?? 0) + 1;
    const since = this.parts.clock.now();
    const holder = processIdentity();
    const { owner } = claim;
    const record: AcquireRecord = {
      k: 'acquire',
      owner,
      epoch,
      ...this.#stay(claim),
      because,
      since,
      holder,
    };
    return { answer: epoch, append: { fields: record, texts: [] } };
  }

  /**
   * Renews by heartbeat what can be. A beat counts only if the lease had not run out when the write was over: up to then nobody can
   * have judged it by the beat before. What ran out is left to the log, where being taken and being renewed exclude each other.
   */
  #beat(refs: readonly LeaseRef[], ttlMs: number): Map<string, OwnLease> {
    const now = this.parts.clock.hostTime();
    const own = refs
      .map((ref) => this.#own.get(keyOf(ref)))
      .filter((lease) => lease !== undefined)
      .filter((lease) => lease.ttlMs === ttlMs && now.monotonicMs < lease.livesUntilMs);
    const isSeen = this.parts.heartbeats.beat(
      own.map(({ owner, epoch, beat }) => ({ slot: beat.slot, bytes: encodeBeat(owner, epoch, now) })),
    );
    if (!isSeen) this.#own.clear();
    const after = this.parts.clock.hostTime().monotonicMs;
    const inTime = isSeen ? own.filter((lease) => after < lease.livesUntilMs) : [];
    for (const lease of inTime) lease.livesUntilMs = now.monotonicMs + ttlMs;
    return new Map(inTime.map((lease) => [keyOf(lease), lease]));
  }

  async #stands(own: OwnLease): Promise<boolean> {
    const epoch = await this.parts.logs.read(own.sessionId, ({ lease }) =>
      lease?.owner === own.owner ? lease.epoch : undefined,
    );
    if (epoch === own.epoch) return true;
    this.#forget(own);
    return false;
  }

  async #renewInLog(ref: LeaseRef, ttlMs: number): Promise<boolean> {
    const claim = this.#claim(ref, ttlMs);
    const epoch = await this.#settle(claim, () =>
      this.parts.logs.transact(ref.sessionId, 'write', ({ lease }) =>
        lease?.owner === ref.owner ? this.#renewal(claim, lease) : { answer: 'held' },
      ),
    );
    return epoch !== undefined;
  }

  #renewal(claim: Claim, { epoch }: HeldLease): Decision<Answer> {
    const record: RenewRecord = { k: 'renew', epoch, ...this.#stay(claim) };
    return { answer: epoch, append: { fields: record, texts: [] } };
  }

  /** How long the claim's lease lives from now on, and where its heartbeat stands. */
  #stay(claim: Claim): Pick<HeldLease, 'ttlMs' | 'term' | 'beat'> {
    const { ttlMs } = claim;
    const now = this.parts.clock.hostTime();
    claim.livesUntilMs = now.monotonicMs + ttlMs;
    claim.beat ??= this.parts.heartbeats.take();
    return { ttlMs, term: leaseTerm(now, ttlMs), beat: claim.beat };
  }

  #claim({ sessionId, owner }: LeaseRef, ttlMs: number): Claim {
    const beat = this.#own.get(keyOf({ sessionId, owner }))?.beat;
    return { sessionId, owner, ttlMs, beat, livesUntilMs: 0 };
  }

  /** Enters what became of a claim: its epoch, or nothing. */
  async #settle(claim: Claim, work: () => Promise<Answer | undefined>): Promise<number | undefined> {
    let answer: Answer | undefined;
    try {
      answer = await work();
    } catch (error) {
      // What was promised before still holds: a heartbeat of before stays as it is.
      this.#giveBack(claim.beat, this.#own.get(keyOf(claim))?.beat);
      throw error;
    }
    const { sessionId, owner, ttlMs, beat, livesUntilMs } = claim;
    if (typeof answer !== 'number' || !beat) {
      this.#forget(claim);
      this.#giveBack(beat);
      return undefined;
    }
    this.#forget(claim, beat);
    this.#own.set(keyOf(claim), { sessionId, owner, epoch: answer, ttlMs, beat, livesUntilMs });
    return answer;
  }

  #forget(ref: LeaseRef, kept?: BeatRef): void {
    const own = this.#own.get(keyOf(ref));
    this.#own.delete(keyOf(ref));
    this.#giveBack(own?.beat, kept);
  }

  #giveBack(beat: BeatRef | undefined, kept?: BeatRef): void {
    if (beat && beat !== kept) this.parts.heartbeats.give(beat);
  }
}

function keyOf({ sessionId, owner }: LeaseRef): string {
  return `${sessionId} ${owner}`;
}
