import type { Certificate, CertifiedRule } from './certificate.js';

/** How a rule is run again. */
export type ReplayLine = (rule: CertifiedRule, certificate: Certificate) => string;

/** For each rule that failed or could not run: the sentence, what was promised, what was seen, and the command that replays it. */
export function failureTexts(certificate: Certificate, replay: ReplayLine): readonly string[] {
  return certificate.rules.flatMap((rule) => {
    const { outcome } = rule;
    const again = `  replay:   ${replay(rule, certificate)}`;
    if (outcome.kind === 'not-run') {
      return [[`NOT RUN  ${rule.id}: ${rule.says}`, `  because:  ${outcome.reason}`, again].join('\n')];
    }
    if (outcome.kind !== 'failed') return [];
    return [
      [
        `FAILED   ${rule.id}: ${rule.says}`,
        `  promised: ${outcome.promised}`,
        `  seen:     ${outcome.seen}`,
        again,
      ].join('\n'),
    ];
  });
}
