import type { Tier } from '../model/rule.js';

export interface CliPlan {
  /** The module's path, as it was given. */
  readonly harness: string;
  readonly tier: Tier;
  readonly rules?: readonly string[];
  readonly seed?: number;
  /** Where reports go: `.json` for the certificate, `.html` for the page. */
  readonly reports: readonly string[];
}

export type CliArguments =
  | { readonly kind: 'run'; readonly plan: CliPlan }
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly message: string };

export const USAGE = `npx @lousho/conformance HARNESS.js [--tier 0..3] [--rule ID] [--seed N] [--report FILE]

Holds a store to docs/contract.md. HARNESS.js exports a ConformanceHarness as its default.

  --tier N       rules up to this tier: 0 this process (default), 1 several processes, 2 faults of the system, 3 real servers
  --rule ID      only this rule (LEASE-13:processes), sentence (LEASE-13) or family (LEASE); may be repeated
  --seed N       makes the same choices as a run before
  --report FILE  writes the certificate (FILE.json) or the page (FILE.html); may be repeated

Exit code: 0 every promise was kept, 1 one was not (or, with CI set, a rule could not run), 2 wrong arguments or no harness.`;

export function cliArguments(args: readonly string[]): CliArguments {
  const found: { harness?: string; tier: number; rules: string[]; seed?: number; reports: string[] } = {
    tier: 0,
    rules: [],
    reports: [],
  };
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [name = '', inline] = arg.split(/=(.*)/s);
    if (name === '--help' || name === '-h') return { kind: 'help' };
    if (!name.startsWith('-')) {
      if (found.harness !== undefined) return refused(`one harness, got ${found.harness} and ${arg}`);
      found.harness = arg;
      continue;
    }
    const value = inline ?? rest.shift();
    if (value === undefined) return refused(`a value behind ${name}`);
    if (name === '--tier' && /^[0-3]$/.test(value)) found.tier = Number(value);
    else if (name === '--seed' && /^\d{1,10}$/.test(value)) found.seed = Number(value);
    else if (name === '--rule') found.rules.push(...value.split(','));
    else if (name === '--report' && /\.(json|html)$/.test(value)) found.reports.push(value);
    else return refused(`an option as --help lists them, got ${name} ${value}`);
  }
  const { harness, rules, tier, ...others } = found;
  if (harness === undefined) return refused('the path of a harness module, got none');
  return {
    kind: 'run',
    plan: { ...others, harness, tier: tier as Tier, ...(rules.length > 0 && { rules }) },
  };
}

function refused(wanted: string): CliArguments {
  return { kind: 'refused', message: `Expected ${wanted}` };
}
