/** A save that was tried: its checkpoint's unique number, and the number of the one that it continues. */
export interface OfferedSave {
  readonly n: number;
  /** `null`: it began anew. */
  readonly parent: number | null;
  /** `unknown`: no answer came, so that it may be in or out. */
  readonly outcome: 'accepted' | 'refused' | 'unknown';
}

/** What is known of one id when nothing is under way any more. */
export interface Chain {
  readonly offered: readonly OfferedSave[];
  /** What anybody loaded or found in a listing on the way. */
  readonly seen: readonly (number | null)[];
  /** What `load()` gives in the end. */
  readonly final: number | null;
  /** What `history()` gives in the end, newest first; absent on a store without one. */
  readonly history?: readonly (number | null)[];
  readonly historyLimit?: number;
  /** How often the id was deleted, or may have been. Default 0. */
  readonly deletes?: number;
}

/**
 * Whether the saves of an id form one chain: each accepted save continues the one before, none is lost, none counts twice. Judged by
 * the data alone, in linear time. What is wrong, in words; empty when nothing is.
 */
export function chainFaults(chain: Chain): readonly string[] {
  const offers = new Map(chain.offered.map((save) => [save.n, save]));
  const faults = [
    ...repeatedNumbers(chain.offered),
    ...strangers(chain, offers),
    ...refusedButThere(chain, offers),
    ...forks(chain, offers),
  ];
  // On what is no chain the rest would only say the same again.
  return faults.length > 0 ? faults : [...lost(chain, offers), ...historyFaults(chain, offers)];
}

type Offers = ReadonlyMap<number, OfferedSave>;

function repeatedNumbers(offered: readonly OfferedSave[]): string[] {
  const seen = new Set<number>();
  return offered.flatMap(({ n }) => {
    if (seen.has(n)) return [`number ${n} was offered twice`];
    seen.add(n);
    return [];
  });
}

/** Every number that shows somewhere behind the store. */
function shown({ seen, final, history = [] }: Chain): readonly (number | null)[] {
  return [...seen, final, ...history];
}

function strangers(chain: Chain, offers: Offers): string[] {
  const faults = new Set<string>();
  for (const n of shown(chain)) if (n !== null && !offers.has(n)) faults.add(`${n} was saved by nobody`);
  return [...faults];
}

function refusedButThere(chain: Chain, offers: Offers): string[] {
  const faults = new Set<string>();
  const check = (n: number | null) => {
    if (n !== null && offers.get(n)?.outcome === 'refused') faults.add(`${n} was refused and is there`);
  };
  shown(chain).forEach(check);
  for (const { parent, outcome } of chain.offered) if (outcome === 'accepted') check(parent);
  return [...faults];
}

/** The saves that are certainly in: accepted, shown, or continued by one that is in. */
function certain(chain: Chain, offers: Offers): ReadonlySet<number> {
  const certain = new Set<number>();
  const enter = (from: number | null) => {
    for (let n = from; n !== null && !certain.has(n); n = offers.get(n)?.parent ?? null) certain.add(n);
  };
  for (const { n, outcome } of chain.offered) if (outcome === 'accepted') enter(n);
  shown(chain).forEach(enter);
  return certain;
}

function forks(chain: Chain, offers: Offers): string[] {
  const children = new Map<number | null, number[]>();
  for (const n of certain(chain, offers)) {
    const parent = offers.get(n)?.parent ?? null;
    children.set(parent, [...(children.get(parent) ?? []), n]);
  }
  return [...children].flatMap(([parent, all]) => {
    const allowed = parent === null ? 1 + (chain.deletes ?? 0) : 1;
    if (all.length <= allowed) return [];
    return [`${parent ?? 'the beginning'} was continued ${all.length} times: by ${all.join(', ')}`];
  });
}

function lost(chain: Chain, offers: Offers): string[] {
  if (chain.deletes) return [];
  const kept = new Set(ancestry(chain.final, offers));
  const lost = chain.offered.filter(({ n, outcome }) => outcome === 'accepted' && !kept.has(n));
  return lost.length === 0
    ? []
    : [`accepted saves are lost: ${lost.map(({ n }) => n).join(', ')}; load() gives ${chain.final}`];
}

/** A number and all that it continues, newest first. */
function ancestry(from: number | null, offers: Offers): number[] {
  const line: number[] = [];
  for (let n = from; n !== null; n = offers.get(n)?.parent ?? null) line.push(n);
  return line;
}

function historyFaults(
  { history, historyLimit, final, deletes = 0 }: Chain,
  offers: Offers,
): readonly string[] {
  if (history === undefined || historyLimit === 0) return [];
  const faults: string[] = [];
  if (historyLimit !== undefined && history.length > historyLimit) {
    faults.push(`history has ${history.length} entries, more than ${historyLimit}`);
  }
  // A deleted id may have kept its history.
  if (final !== null && history[0] !== final) {
    faults.push(`load() gives ${final}, the newest entry of history is ${history[0] ?? 'missing'}`);
  }
  const line = ancestry(history[0] ?? null, offers);
  const gap = history.findIndex((n, index) => n !== line[index]);
  if (gap !== -1 && deletes === 0) {
    faults.push(`history has ${history[gap]} where ${line[gap] ?? 'nothing'} belongs: ${history.join(', ')}`);
  }
  const due = Math.min(historyLimit ?? line.length, line.length);
  if (gap === -1 && deletes === 0 && history.length < due) {
    faults.push(`history has ${history.length} entries, and ${due} saves are to be kept`);
  }
  return faults;
}
