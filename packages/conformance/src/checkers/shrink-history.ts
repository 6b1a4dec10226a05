import { checkLinearizable } from './linearizability.js';
import { type History, isUnknown, ownerOf, type RecordedCall } from './recorded-call.js';

/**
 * A short history that is as bad: its shortest bad beginning, then without whole clients, owners and single calls. Nothing is
 * taken out whose absence alone would make a good history bad, so that what is left shows the same fault.
 */
export function shrinkHistory(history: History, maxChecks = 2_000): History {
  let checks = 0;
  const isBad = (calls: readonly RecordedCall[]) => {
    checks += 1;
    if (checks > maxChecks) return false;
    return checkLinearizable({ ...history, calls }, { maxSteps: 100_000 }).kind === 'violation';
  };
  let calls = shortestBadBeginning(history.calls, isBad);
  for (;;) {
    const before = calls.length;
    for (const removal of removals(calls)) {
      const less = calls.filter((call) => !removal(call, calls));
      if (less.length < calls.length && isBad(less)) calls = less;
    }
    if (calls.length === before) return { ...history, calls };
  }
}

function shortestBadBeginning(
  calls: readonly RecordedCall[],
  isBad: (calls: readonly RecordedCall[]) => boolean,
): readonly RecordedCall[] {
  const ends = calls.flatMap((call) => (isUnknown(call) ? [] : [call.returnedAt])).sort((a, b) => a - b);
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBad(beginning(calls, ends[middle] as number))) high = middle;
    else low = middle + 1;
  }
  const shortest = beginning(calls, ends[low] ?? 0);
  return isBad(shortest) ? shortest : calls;
}

/** What had been called by then; what was still under way has no answer. */
function beginning(calls: readonly RecordedCall[], until: number): readonly RecordedCall[] {
  return calls
    .filter(({ calledAt }) => calledAt < until)
    .map((call) => (call.returnedAt <= until ? call : unanswered(call)));
}

function unanswered(call: RecordedCall): RecordedCall {
  const forever = Number.POSITIVE_INFINITY;
  const operation = { ...call.operation, answer: 'unknown' } as RecordedCall['operation'];
  return { ...call, operation, returnedAt: forever, returnedMs: forever };
}

type Removal = (call: RecordedCall, all: readonly RecordedCall[]) => boolean;

/** Coarse ones first. */
function removals(calls: readonly RecordedCall[]): readonly Removal[] {
  const clients = [...new Set(calls.map(({ client }) => client))];
  const owners = [...new Set(calls.map(ownerOf).filter((owner) => owner !== undefined))];
  return [
    ...clients.map((client) =>
      without((call) => call.client === client && call.operation.kind !== 'delete', calls),
    ),
    ...owners.map((owner) => without((call) => ownerOf(call) === owner, calls)),
    ...calls.filter(isWithoutEffect).map((one) => (call: RecordedCall) => call === one),
    ...calls
      .filter(({ operation }) => operation.kind === 'save')
      .map((one) => (call: RecordedCall) => call === one || isLoadOf(call, one)),
  ];
}

/**
 * With an owner go the loads of what it saved and, since it may be the reason for them, the refusals that others met behind its
 * first call.
 */
function without(isOne: (call: RecordedCall) => boolean, calls: readonly RecordedCall[]): Removal {
  const gone = calls.filter(isOne);
  const from = Math.min(...gone.map(({ calledAt }) => calledAt));
  return (call) =>
    isOne(call) ||
    (call.operation.answer === false && call.returnedAt > from) ||
    gone.some((one) => isLoadOf(call, one));
}

function isWithoutEffect({ operation }: RecordedCall): boolean {
  return operation.kind === 'load' || operation.answer === false;
}

function isLoadOf({ operation }: RecordedCall, { operation: save }: RecordedCall): boolean {
  return save.kind === 'save' && operation.kind === 'load' && operation.answer === save.value;
}
