import { type Certificate, isKept } from './certificate.js';
import { failureTexts, type ReplayLine } from './failures.js';
import { outcomeTable } from './table.js';

/** A certificate for a person: what the store lacks first, then the table, then each failure. */
export function textReport(certificate: Certificate, replay: ReplayLine): string {
  const { counts, shortcomings, store } = certificate;
  return [
    ...(shortcomings.length > 0
      ? [
          `${store} declares less than a store that runs can rely on:`,
          ...shortcomings.map((one) => `  - ${one}`),
          '',
        ]
      : []),
    outcomeTable(certificate),
    '',
    ...failureTexts(certificate, replay).flatMap((text) => [text, '']),
    `${store}: ${counts.passed} of ${counts.applied} rules that apply are kept, ${counts.underStress} of them under concurrency or a fault` +
      ` (tier ${certificate.tier}, seed ${certificate.seed}, ${Math.round(certificate.ms / 100) / 10} s).`,
    verdictOf(certificate),
  ].join('\n');
}

function verdictOf(certificate: Certificate): string {
  const { counts } = certificate;
  if (isKept(certificate)) return 'Every promise that it makes was kept.';
  const parts = [
    ...(counts.failed > 0 ? [`${counts.failed} rules failed`] : []),
    ...(counts['not-run'] > 0 ? [`${counts['not-run']} rules should have run and could not`] : []),
  ];
  return `${parts.join(', ')}.`;
}
