import type { Certificate } from '@lousho/conformance';

const GUARANTEES = {
  PREFIX: 'prefix continuation',
  EFFECT: 'effect once',
  FORK: 'fork determinism',
  VALIDITY: 'checkpoint validity',
  CONSUME: 'consume once',
  RECOVERY: 'recovery determinism',
} as const;

const TABLE = /(?<=<!-- guarantees -->\n\n)(?:\|.*\n)+/;

/** A page with its table of who keeps which guarantee, as the certificates have it. */
export function withGuarantees(page: string, certificates: readonly Certificate[]): string {
  const head = ['guarantee', ...certificates.map(({ store }) => store)];
  const rows = Object.entries(GUARANTEES).map(([family, name]) => [
    name,
    ...certificates.map((certificate) => kept(certificate, family)),
  ]);
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`);
  return page.replace(TABLE, lines.join(''));
}

function kept({ rules }: Certificate, family: string): string {
  const outcomes = rules.filter((rule) => rule.family === family).map(({ outcome }) => outcome.kind);
  if (outcomes.every((kind) => kind === 'passed')) return 'kept';
  if (outcomes.includes('failed')) return '**broken**';
  return outcomes.includes('passed') ? 'in part' : 'not claimed';
}
