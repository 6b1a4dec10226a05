import { type Random, seeded } from '@lousho/conformance';
import type { History, Operation, RecordedCall } from '@lousho/conformance/checkers';

export interface ModelOptions {
  readonly clients?: number;
  readonly calls?: number;
  /** How many of a hundred calls get no answer. */
  readonly unknownPercent?: number;
}

const TTL_MS = 1_000;
const GRACE_MS = 500;

/** What clients of a store that does everything right record, each call taking effect at one instant between call and return. */
export function modelHistory(seed: number, options: ModelOptions = {}): History {
  const { clients = 4, calls: count = 46, unknownPercent = 0 } = options;
  const random = seeded(seed);
  const store = new ModelStore();
  const people = Array.from({ length: clients }, (_, index) => new ModelClient(`client-${index}`));
  const calls: RecordedCall[] = [];
  let [order, ms, made] = [0, 0, 0];
  while (made < count || people.some((person) => person.call)) {
    ms += random.int(40);
    const person = random.pick(people);
    const { call } = person;
    if (!call) {
      if (made >= count) continue;
      made += 1;
      person.call = {
        asked: person.next(random, made),
        calledAt: order++,
        calledMs: ms,
        answer: undefined,
        isLost: random.int(100) < unknownPercent,
      };
    } else if (call.answer === undefined) {
      // A lost call may not have reached the store either.
      if (!call.isLost || random.chance(0.5)) call.answer = store.answer(call.asked, ms);
      else call.answer = 'unknown';
    } else {
      const isLost = call.isLost;
      const operation = { ...call.asked, answer: isLost ? 'unknown' : call.answer } as Operation;
      const [returnedAt, returnedMs] = isLost ? [Infinity, Infinity] : [order++, ms];
      calls.push({
        client: person.name,
        operation,
        calledAt: call.calledAt,
        calledMs: call.calledMs,
        returnedAt,
        returnedMs,
      });
      person.call = undefined;
      // Nobody acts under an owner whose fate is unknown.
      if (isLost || call.asked.kind === 'release') person.owner = undefined;
    }
  }
  return { calls, graceMs: GRACE_MS, skewMs: 0 };
}

interface OpenCall {
  readonly asked: Operation;
  readonly calledAt: number;
  readonly calledMs: number;
  answer: Operation['answer'] | undefined;
  readonly isLost: boolean;
}

class ModelClient {
  owner: string | undefined;
  call: OpenCall | undefined;
  #owners = 0;

  constructor(readonly name: string) {}

  next(random: Random, n: number): Operation {
    const kind = random.pick([
      'acquire',
      'save',
      'save',
      'save',
      'load',
      'load',
      'renew',
      'release',
      'delete',
    ]);
    if (kind === 'load') return { kind, answer: 'unknown' };
    if (kind === 'delete' && random.chance(0.2)) return { kind, answer: 'unknown' };
    if (this.owner === undefined || kind === 'acquire' || kind === 'delete') {
      this.owner ??= `${this.name}-${++this.#owners}`;
      return { kind: 'acquire', owner: this.owner, ttlMs: TTL_MS, answer: 'unknown' };
    }
    const { owner } = this;
    if (kind === 'save') return { kind, owner, value: n, answer: 'unknown' };
    if (kind === 'renew') return { kind, owner, ttlMs: TTL_MS, answer: 'unknown' };
    return { kind: 'release', owner, answer: 'unknown' };
  }
}

class ModelStore {
  owner: string | null = null;
  expiresAt = 0;
  value: number | null = null;

  answer(asked: Operation, ms: number): Operation['answer'] {
    switch (asked.kind) {
      case 'acquire':
        if (this.owner !== null && this.owner !== asked.owner && ms < this.expiresAt + GRACE_MS) return false;
        this.owner = asked.owner;
        this.expiresAt = ms + asked.ttlMs;
        return true;
      case 'renew':
        if (this.owner !== asked.owner) return false;
        this.expiresAt = ms + asked.ttlMs;
        return true;
      case 'release':
        if (this.owner === asked.owner) this.owner = null;
        return 'done';
      case 'save':
        if (this.owner !== asked.owner) return false;
        this.value = asked.value;
        return true;
      case 'load':
        return this.value;
      case 'delete':
        this.owner = null;
        this.value = null;
        return 'done';
    }
  }
}
