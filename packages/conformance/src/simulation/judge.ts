import { type CheckpointStore, encode, statusOf } from '@lousho/core/contract';
import { transcriptFaults } from '@lousho/core/testing';
import { chainFaults } from '../checkers/chain-check.js';
import { checkLinearizable } from '../checkers/linearizability.js';
import type { History } from '../checkers/recorded-call.js';
import { showHistory } from '../checkers/show-history.js';
import { shrinkHistory } from '../checkers/shrink-history.js';
import type { Journal } from './journal.js';
import { numberOf } from './recorded-store.js';

export interface Judgement {
  readonly sessionId: string;
  readonly journal: Journal;
  /** A client that nothing comes between. */
  readonly checkpoints: Required<CheckpointStore>;
  readonly historyLimit: number;
  readonly calls: History;
}

/** What is wrong with a session when all is over: its end, its transcript, its chain, its calls. */
export async function judge(judgement: Judgement): Promise<readonly string[]> {
  const { sessionId, journal, checkpoints, historyLimit, calls } = judgement;
  const final = await checkpoints.load(sessionId);
  const entries = await checkpoints.history(sessionId);
  const faults: string[] = [];
  if (final === null || statusOf(final) !== 'finished') {
    faults.push(`it is ${final ? statusOf(final) : 'gone'} in the end`);
  }
  faults.push(
    ...transcriptFaults(final?.messages ?? []).map((fault) => `its transcript is invalid: ${fault}`),
  );
  const told = journal.told.get(sessionId) ?? [];
  // A user who was impatient may have started another run behind it.
  if (encode(told) !== encode(final?.messages.slice(0, told.length) ?? [])) {
    faults.push('its user was given another transcript than the stored one');
  }
  const [newest] = entries;
  if (newest && final && encode(newest.checkpoint) !== encode(final)) {
    faults.push('the newest entry of its history is not what load() gives');
  }
  faults.push(
    ...chainFaults({
      offered: journal.offered.get(sessionId) ?? [],
      seen: journal.seen.get(sessionId) ?? [],
      final: numberOf(final),
      history: entries.map(({ checkpoint }) => numberOf(checkpoint)),
      historyLimit,
    }),
    ...leaseFaults(calls),
  );
  return faults.map((fault) => `${sessionId}: ${fault}`);
}

function leaseFaults(history: History): readonly string[] {
  const verdict = checkLinearizable(history);
  switch (verdict.kind) {
    case 'linearizable':
      return [];
    case 'undecided':
      return [`its calls could not be judged: ${verdict.reason}`];
    case 'violation':
      return [`no order of its calls explains the answers:\n${showHistory(shrinkHistory(history))}`];
    default:
      return verdict satisfies never;
  }
}
