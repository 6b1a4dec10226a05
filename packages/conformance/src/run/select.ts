import type { Claims } from '../model/claims.js';
import { CLAIMS, type ClaimName, type Needs, SEAMS } from '../model/needs.js';
import type { Outcome } from '../model/outcome.js';
import { type Rule, sentenceOf, type Tier } from '../model/rule.js';
import type { Probe } from './probe.js';

/** What somebody asked for. */
export interface Asked {
  /** Rules up to this tier. */
  readonly tier: Tier;
  /** Rules (`LEASE-13:processes`), sentences (`LEASE-13`) or families (`LEASE`); all when absent. */
  readonly rules?: readonly string[];
}

/** Why a rule does not run; `undefined` when it does. */
export function passedOver(rule: Rule, found: Probe, asked: Asked): Outcome | undefined {
  if (!isAskedFor(rule, asked.rules)) return { kind: 'untested', reason: 'another rule was asked for' };
  const claim = missingClaim(rule.needs, found);
  if (claim !== undefined) return { kind: 'not-claimed', claim };
  if (rule.tier > asked.tier)
    return { kind: 'untested', reason: `tier ${rule.tier}, asked for up to ${asked.tier}` };
  const seam = rule.needs.seams?.find((needed) => !found.seams.has(needed));
  return seam && { kind: 'not-run', reason: SEAMS[seam] };
}

function isAskedFor(rule: Rule, names: readonly string[] | undefined): boolean {
  return (
    names === undefined || names.some((name) => [rule.id, sentenceOf(rule.id), rule.family].includes(name))
  );
}

/** The first thing that a rule needs and the store does not claim, in words. */
export function missingClaim(
  needs: Needs,
  { claims, methods }: Pick<Probe, 'claims' | 'methods'>,
): string | undefined {
  const method = needs.methods?.find((name) => !methods.has(name));
  if (method !== undefined) return `there is no ${method}()`;
  return namedClaim(needs, claims) ?? graceClaim(needs, claims) ?? limitClaim(needs, claims);
}

function namedClaim(needs: Needs, claims: Claims): string | undefined {
  for (const name of Object.keys(CLAIMS) as ClaimName[]) {
    const values: readonly string[] | undefined = needs[name];
    if (values && !values.includes(claims[name]))
      return `${name} is ${claims[name]}, not ${values.join(' or ')}`;
  }
  return undefined;
}

function graceClaim({ grace }: Needs, { graceMs }: Claims): string | undefined {
  if (grace === undefined || (grace === 'some') === graceMs > 0) return undefined;
  return `graceMs is ${graceMs}`;
}

function limitClaim({ limits, noLimits }: Needs, claims: Claims): string | undefined {
  const absent = limits?.find((limit) => claims.limits[limit] === undefined);
  if (absent !== undefined) return `limits.${absent} is not declared`;
  const present = noLimits?.find((limit) => claims.limits[limit] !== undefined);
  return present && `limits.${present} is ${claims.limits[present]}`;
}
