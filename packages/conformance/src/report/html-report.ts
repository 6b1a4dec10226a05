import { type Certificate, type CertifiedRule, isKept } from './certificate.js';
import type { ReplayLine } from './failures.js';
import { cellOf, familiesOf } from './table.js';

/** One page, without anything to load: the matrix of stores and families, then each store with its rules. */
export function htmlReport(certificates: readonly Certificate[], replay: ReplayLine): string {
  const title = `Conformance of ${certificates.map(({ store }) => store).join(', ')}`;
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${escaped(title)}</title><style>${STYLE}</style>`,
    `<h1>${escaped(title)}</h1>`,
    matrix(certificates),
    ...certificates.map((certificate) => section(certificate, replay)),
    '</html>',
  ].join('\n');
}

function matrix(certificates: readonly Certificate[]): string {
  const families = familiesOf(certificates.flatMap(({ rules }) => rules));
  const head = certificates.map(({ store }) => `<th><a href="#${escaped(store)}">${escaped(store)}</a>`);
  const rows = families.map((family) => {
    const cells = certificates.map(({ rules }) => {
      const isRed = rules.some((rule) => rule.family === family && isBad(rule));
      return `<td class="${isRed ? 'failed' : 'passed'}">${cellOf(rules, family)}`;
    });
    return `<tr><th>${family}${cells.join('')}`;
  });
  return `<table><tr><th>${head.join('')}${rows.join('')}</table>`;
}

function section(certificate: Certificate, replay: ReplayLine): string {
  const { claims, counts, machine, shortcomings, store, versions } = certificate;
  const facts = [
    `kit ${certificate.kit}, contract ${certificate.contract.digest} (${certificate.contract.sentences} sentences)`,
    ...Object.entries(versions).map(([name, version]) => `${name} ${version}`),
    Object.entries(claims)
      .map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`)
      .join(', '),
    `tier ${certificate.tier}, seed ${certificate.seed}, node ${machine.node} on ${machine.platform} ${machine.arch}, ${machine.cpus} cores, ${certificate.startedAt}`,
    `${counts.passed} of ${counts.applied} rules kept, ${counts.underStress} under concurrency or a fault`,
  ];
  return [
    `<h2 id="${escaped(store)}">${escaped(store)}: ${isKept(certificate) ? 'kept' : 'not kept'}</h2>`,
    ...shortcomings.map((one) => `<p class="weak">${escaped(one)}</p>`),
    `<ul>${facts.map((fact) => `<li>${escaped(fact)}`).join('')}</ul>`,
    ...certificate.rules.filter(isBad).map((rule) => failure(rule, replay(rule, certificate))),
    `<details><summary>All rules</summary><table>${certificate.rules.map(row).join('')}</table></details>`,
  ].join('\n');
}

function failure(rule: CertifiedRule, replay: string): string {
  const { outcome } = rule;
  const facts =
    outcome.kind === 'failed'
      ? `<dt>promised<dd>${escaped(outcome.promised)}<dt>seen<dd><pre>${escaped(outcome.seen)}</pre>`
      : `<dt>not run<dd>${escaped(outcome.kind === 'not-run' ? outcome.reason : '')}`;
  return `<section class="failed"><h3>${rule.id}</h3><p>${escaped(rule.says)}</p><dl>${facts}<dt>replay<dd><code>${escaped(replay)}</code></dl></section>`;
}

function row({ id, outcome, says, under }: CertifiedRule): string {
  const why =
    outcome.kind === 'not-claimed' ? `: ${outcome.claim}` : 'reason' in outcome ? `: ${outcome.reason}` : '';
  return `<tr class="${outcome.kind}"><th>${id}<td>${outcome.kind}${escaped(why)}<td>${under ?? ''}<td>${escaped(says)}`;
}

function isBad({ outcome }: CertifiedRule): boolean {
  return outcome.kind === 'failed' || outcome.kind === 'not-run';
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse}td,th{border:1px solid #ddd;padding:.2rem .6rem;text-align:left;vertical-align:top}
.passed{background:#eaf6ea}.failed{background:#fbe9e7}.not-run{background:#fff4d6}.weak{color:#8a5a00}
section.failed{padding:.2rem 1rem;margin:1rem 0}pre{white-space:pre-wrap}`;
