#!/usr/bin/env node
// `npx @lousho/conformance HARNESS.js`: a store's author, and a store.
import { writeFile } from 'node:fs/promises';
import { type Certificate, isKept } from '../report/certificate.js';
import type { ReplayLine } from '../report/failures.js';
import { htmlReport } from '../report/html-report.js';
import { textReport } from '../report/text-report.js';
import { RULES } from '../rules/index.js';
import { type CliPlan, cliArguments, USAGE } from './arguments.js';
import { loadHarness } from './load-harness.js';
import { terminalProgress } from './progress.js';
import { runConformance } from './run-conformance.js';

const asked = cliArguments(process.argv.slice(2));
if (asked.kind === 'help') console.log(USAGE);
else if (asked.kind === 'refused') refuse(`${asked.message}\n\n${USAGE}`);
else
  await certify(asked.plan).catch((error: unknown) =>
    refuse(`The harness failed: ${error instanceof Error ? error.stack : error}`),
  );
// A call that never came back, or a client that keeps its connections, would keep the process for good.
process.exit();

async function certify({ harness: path, reports, ...options }: CliPlan): Promise<void> {
  const harness = await loadHarness(path);
  const progress = terminalProgress(process.stderr, harness.name, RULES.length);
  const certificate = await runConformance(harness, { ...options, onOutcome: progress.see });
  progress.clear();
  const replay: ReplayLine = ({ id, tier }, { seed }) =>
    `npx @lousho/conformance ${path} --tier ${tier} --rule ${id} --seed ${seed}`;
  console.log(textReport(certificate, replay));
  for (const file of reports) await writeFile(file, reportAs(file, certificate, replay));
  process.exitCode = exitCodeOf(certificate);
}

function reportAs(file: string, certificate: Certificate, replay: ReplayLine): string {
  if (file.endsWith('.html')) return htmlReport([certificate], replay);
  return `${JSON.stringify(certificate, null, 2)}\n`;
}

function exitCodeOf(certificate: Certificate): number {
  if (certificate.counts.failed > 0) return 1;
  // What could not run is red where nobody looks.
  return process.env.CI && !isKept(certificate) ? 1 : 0;
}

function refuse(message: string): void {
  console.error(message);
  process.exitCode = 2;
}
