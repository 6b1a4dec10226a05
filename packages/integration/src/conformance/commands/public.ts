import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  type Certificate,
  type CertifiedRule,
  type ConformanceHarness,
  runConformance,
} from '@lousho/conformance';

const FOLDER = new URL('../../../../../examples/langgraph-savers/', import.meta.url);
const HARNESSES = ['memory', 'sqlite'];

/**
 * `public [--seed N]`: stores of another project, LangGraph's savers, held to the contract; says which sentences they keep and which
 * they break. Exits with 0 whatever they keep, and with 2 when they are not installed.
 */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { seed: { type: 'string' } } });
  if (!existsSync(new URL('node_modules/@langchain/langgraph-checkpoint-sqlite', FOLDER))) {
    console.error('The savers are not installed: npm ci --prefix examples/langgraph-savers');
    return 2;
  }
  for (const name of HARNESSES) {
    const module = (await import(new URL(`${name}.harness.js`, FOLDER).href)) as {
      default: ConformanceHarness;
    };
    console.log(report(await runConformance(module.default, { tier: 1, seed: Number(values.seed ?? 1) })));
  }
  return 0;
}

function report(certificate: Certificate): string {
  const { store, versions, counts, rules, shortcomings } = certificate;
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const of = (kind: CertifiedRule['outcome']['kind']) => rules.filter(({ outcome }) => outcome.kind === kind);
  return [
    `${store} (${named.join(', ')}): of ${counts.applied} rules that apply ${counts.passed} are kept, ${counts.failed} broken`,
    ...shortcomings.map((one) => `  ${one}`),
    `  keeps   ${idsByFamily(of('passed'))}`,
    ...of('failed').flatMap((rule) => [`  breaks  ${rule.id}  ${rule.says}`, `          ${seenBy(rule)}`]),
    ...(counts['not-run'] > 0 ? [`  not run ${idsByFamily(of('not-run'))}`] : []),
    `  not claimed: ${familyCounts(of('not-claimed'))}`,
    '',
  ].join('\n');
}

function seenBy({ outcome }: CertifiedRule): string {
  if (outcome.kind !== 'failed') return '';
  const seen = onOneLine(outcome.seen.split('\n    at ', 1)[0] ?? '');
  return outcome.because === 'violation' ? `promised ${onOneLine(outcome.promised)}, seen ${seen}` : seen;
}

/** What cannot be printed is shown as a dot: the kit's values are hostile on purpose. */
function onOneLine(text: string): string {
  const printable = text.replace(/\p{C}|\s+/gu, (found) => (found.trim() === '' ? ' ' : '·'));
  return printable.length > MAX_LENGTH ? `${printable.slice(0, MAX_LENGTH)}…` : printable;
}

const MAX_LENGTH = 160;

/** `LEASE-01 02 03:race`. */
function idsByFamily(rules: readonly CertifiedRule[]): string {
  return [...grouped(rules)]
    .map(([family, own]) => `${family}-${own.map(({ id }) => id.slice(family.length + 1)).join(' ')}`)
    .join(', ');
}

function familyCounts(rules: readonly CertifiedRule[]): string {
  return [...grouped(rules)].map(([family, own]) => `${family} ${own.length}`).join(', ');
}

function grouped(rules: readonly CertifiedRule[]): ReadonlyMap<string, readonly CertifiedRule[]> {
  const families = new Map<string, CertifiedRule[]>();
  for (const rule of rules) families.set(rule.family, [...(families.get(rule.family) ?? []), rule]);
  return families;
}
