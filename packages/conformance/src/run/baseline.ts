import type { Claims } from '../model/claims.js';
import { CLAIMS, type ClaimName, METHODS } from '../model/needs.js';
import type { Probe } from './probe.js';

/** What a run that must not be lost or repeated can rely on. A store may be weaker, and its report then begins with saying so. */
export const BASELINE = {
  fencing: 'atomic',
  reads: 'latest',
  reach: 'host',
  survives: 'process-crash',
} as const satisfies Partial<Claims>;

const CONSEQUENCES: Record<keyof typeof BASELINE, string> = {
  fencing: 'two replicas can both advance one run',
  reads: 'a run can be resumed from an older state',
  reach: 'no other process can take a run over',
  survives: 'a run ends with its process',
};

/** What a store lacks of the baseline, with what that means, one sentence each. */
export function shortcomings({ claims, methods }: Pick<Probe, 'claims' | 'methods'>): readonly string[] {
  const names = Object.keys(BASELINE) as (keyof typeof BASELINE)[];
  const weaker = names
    .filter((name) => isWeaker(name, claims[name], BASELINE[name]))
    .map((name) => `${name} is ${claims[name]}, the baseline ${BASELINE[name]}: ${CONSEQUENCES[name]}`);
  const absent = METHODS.filter((method) => !methods.has(method));
  return absent.length === 0 ? weaker : [...weaker, `there is no ${absent.join(', no ')}`];
}

function isWeaker(name: ClaimName, value: string, wanted: string): boolean {
  const values: readonly string[] = CLAIMS[name];
  return values.indexOf(value) > values.indexOf(wanted);
}
