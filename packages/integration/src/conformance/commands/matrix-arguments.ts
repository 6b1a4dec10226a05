import { parseArgs } from 'node:util';
import type { Tier } from '@lousho/conformance';
import { HARNESSES } from '../stores.js';

export interface MatrixPlan {
  readonly stores: readonly string[];
  readonly tier: Tier;
  readonly rules?: readonly string[];
  readonly seed?: number;
  /** An HTML page. */
  readonly report?: string;
}

export type MatrixArguments =
  | { readonly kind: 'run'; readonly plan: MatrixPlan }
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly message: string };

const NAMES = HARNESSES.map(({ name }) => name);

export const MATRIX_USAGE = `npm run conformance -- [--store ${NAMES.join(',')}] [--tier 0..3] [--rule ID] [--seed N] [--report FILE.html]

Holds our stores to docs/contract.md and prints a matrix. Exit code: 0 everything kept, 1 something failed or could not run, 2 wrong arguments.`;

export function matrixArguments(args: readonly string[]): MatrixArguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        store: { type: 'string' },
        tier: { type: 'string', default: '1' },
        rule: { type: 'string' },
        seed: { type: 'string' },
        report: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    if (values.help) return { kind: 'help' };
    const stores = values.store?.split(',') ?? NAMES;
    const unknown = stores.find((name) => !NAMES.includes(name));
    if (unknown !== undefined)
      return { kind: 'refused', message: `Expected a store of ${NAMES}, got ${unknown}` };
    if (!/^[0-3]$/.test(values.tier))
      return { kind: 'refused', message: `Expected a tier of 0..3, got ${values.tier}` };
    return {
      kind: 'run',
      plan: {
        stores,
        tier: Number(values.tier) as Tier,
        ...(values.rule !== undefined && { rules: values.rule.split(',') }),
        ...(values.seed !== undefined && { seed: Number(values.seed) }),
        ...(values.report !== undefined && { report: values.report }),
      },
    };
  } catch (error) {
    return { kind: 'refused', message: error instanceof Error ? error.message : String(error) };
  }
}
