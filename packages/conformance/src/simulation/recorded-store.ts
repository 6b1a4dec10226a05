import {
  type AgentStore,
  type ApprovalStore,
  type Checkpoint,
  type CheckpointStore,
  markGuarded,
  statusOf,
} from '@lousho/core/contract';
import type { EffectLedger } from '@lousho/core/testing';
import type { Journal } from './journal.js';
import type { LeaseBelief } from './lease-belief.js';

export interface Recording {
  readonly client: string;
  readonly journal: Journal;
  readonly belief: LeaseBelief;
  readonly ledgerOf: (sessionId: string) => EffectLedger;
}

/** Numbers a checkpoint and names the number that it continues. */
interface Chained extends Checkpoint {
  readonly chain: { readonly n: number; readonly parent: number | null };
}

/** The number of a checkpoint that went through a recorded store. */
export function numberOf(checkpoint: Checkpoint | null): number | null {
  return checkpoint && ((checkpoint as Chained).chain?.n ?? Number.NaN);
}

/** A client whose calls are all written down. What it saves gets a number, and the number of what it had loaded. */
export function recordedStore(store: AgentStore, recording: Recording): AgentStore {
  const { checkpoints, approvals } = store;
  return {
    ...(checkpoints && {
      checkpoints: markGuarded(recordedCheckpoints(checkpoints as Required<CheckpointStore>, recording)),
    }),
    ...(approvals && { approvals: recordedApprovals(approvals, recording) }),
  };
}

function recordedCheckpoints(inner: Required<CheckpointStore>, recording: Recording): CheckpointStore {
  const { client, journal, belief, ledgerOf } = recording;
  /** The runs of one id follow one another in a process, so what it saw last is what it continues. */
  const latest = new Map<string, number | null>();

  async function saved(
    sessionId: string,
    checkpoint: Checkpoint,
    owner: string | undefined,
    save: (numbered: Checkpoint) => Promise<boolean>,
  ) {
    const [n, parent] = [journal.nextNumber(), latest.get(sessionId) ?? null];
    const call = journal.begin(sessionId, client, {
      kind: 'save',
      value: n,
      answer: 'unknown',
      ...(owner !== undefined && { owner }),
    });
    const offer: { n: number; parent: number | null; outcome: 'accepted' | 'refused' | 'unknown' } = {
      n,
      parent,
      outcome: 'unknown',
    };
    journal.offers(sessionId, offer);
    const isAccepted = await save({ ...checkpoint, chain: { n, parent } } as Chained);
    journal.end(call, isAccepted);
    offer.outcome = isAccepted ? 'accepted' : 'refused';
    if (isAccepted) {
      latest.set(sessionId, n);
      ledgerOf(sessionId).noteStored(checkpoint);
      if (statusOf(checkpoint) === 'finished') journal.hasEnded(sessionId);
    } else if (owner !== undefined) {
      belief.fenced(sessionId, owner);
    }
    return isAccepted;
  }

  function renewed(sessionId: string, owner: string, ttlMs: number) {
    const call = journal.begin(sessionId, client, { kind: 'renew', owner, ttlMs, answer: 'unknown' });
    const askedAt = belief.clock.monotonic();
    return (isHeld: boolean) => {
      journal.end(call, isHeld);
      belief.renewed(sessionId, owner, isHeld, askedAt);
    };
  }

  return {
    capabilities: inner.capabilities,
    save: async (sessionId, checkpoint, options) => {
      await saved(sessionId, checkpoint, undefined, async (numbered) => {
        await inner.save(sessionId, numbered, options);
        return true;
      });
    },
    saveIfLeased: (sessionId, checkpoint, owner, options) =>
      saved(sessionId, checkpoint, owner, (numbered) =>
        inner.saveIfLeased(sessionId, numbered, owner, options),
      ),
    load: async (sessionId) => {
      const call = journal.begin(sessionId, client, { kind: 'load', answer: 'unknown' });
      const loaded = await inner.load(sessionId);
      const n = numberOf(loaded);
      journal.end(call, n);
      journal.sees(sessionId, n);
      latest.set(sessionId, n);
      return loaded;
    },
    delete: async (sessionId, options) => {
      const call = journal.begin(sessionId, client, { kind: 'delete', answer: 'unknown' });
      await inner.delete(sessionId, options);
      journal.end(call, 'done');
    },
    list: (filter) => inner.list(filter),
    listPending: (page) => inner.listPending(page),
    history: (sessionId, options) => inner.history(sessionId, options),
    readLease: (sessionId) => inner.readLease(sessionId),
    acquireLease: async (sessionId, owner, ttlMs) => {
      const call = journal.begin(sessionId, client, { kind: 'acquire', owner, ttlMs, answer: 'unknown' });
      const askedAt = belief.clock.monotonic();
      const answer = await inner.acquireLease(sessionId, owner, ttlMs);
      journal.end(call, answer !== false);
      if (answer !== false) belief.granted(sessionId, owner, ttlMs, askedAt);
      return answer;
    },
    renewLease: async (sessionId, owner, ttlMs) => {
      const end = renewed(sessionId, owner, ttlMs);
      const isHeld = await inner.renewLease(sessionId, owner, ttlMs);
      end(isHeld);
      return isHeld;
    },
    renewLeases: async (refs, ttlMs) => {
      const ends = refs.map(({ sessionId, owner }) => renewed(sessionId, owner, ttlMs));
      const answers = await inner.renewLeases(refs, ttlMs);
      for (const [index, end] of ends.entries()) end(answers[index] === true);
      return answers;
    },
    releaseLease: async (sessionId, owner) => {
      const call = journal.begin(sessionId, client, { kind: 'release', owner, answer: 'unknown' });
      belief.released(sessionId, owner);
      await inner.releaseLease(sessionId, owner);
      journal.end(call, 'done');
    },
  };
}

function recordedApprovals(inner: ApprovalStore, { client, journal }: Recording): ApprovalStore {
  return {
    save: async (approval, snapshot) => {
      journal.asks(approval.id);
      await inner.save(approval, snapshot);
    },
    load: (id) => inner.load(id),
    list: () => inner.list(),
    delete: async (id) => {
      await inner.delete(id);
      journal.isAnswered(id);
    },
    decide: async (id, decision) => {
      // Its answer may be lost behind a decision that was taken.
      if (decision.approved) journal.approved.add(id);
      const answer = await inner.decide(id, decision);
      journal.isAnswered(id);
      if (answer !== 'decided') return answer;
      if (journal.decided.has(id)) journal.violate(`${client}: approval ${id} was decided a second time`);
      journal.decided.add(id);
      return answer;
    },
  };
}
