import { writeFile } from 'node:fs/promises';
import { failureTexts, htmlReport, matrix, runConformance } from '@lousho/conformance';
import { PATIENCE_MS } from '../patience.js';
import { replayLine } from '../replay-line.js';
import { HARNESSES } from '../stores.js';
import { MATRIX_USAGE, matrixArguments } from './matrix-arguments.js';

/** Our stores, rule family by rule family. */
export async function run(args: readonly string[]): Promise<number> {
  const asked = matrixArguments(args);
  if (asked.kind !== 'run') {
    console.log(asked.kind === 'help' ? MATRIX_USAGE : `${asked.message}\n\n${MATRIX_USAGE}`);
    return asked.kind === 'help' ? 0 : 2;
  }
  const { stores, report, ...options } = asked.plan;
  const chosen = HARNESSES.filter(({ name }) => stores.includes(name));
  const certificates = [];
  for (const harness of chosen)
    certificates.push(await runConformance(harness, { ...options, timeLimitMs: PATIENCE_MS }));
  for (const certificate of certificates) {
    const failures = failureTexts(certificate, replayLine);
    for (const text of failures) console.log(`${certificate.store}\n${text}\n`);
  }
  console.log(matrix(certificates));
  console.log(`\ntier ${options.tier}, seeds ${certificates.map(({ seed }) => seed).join(', ')}`);
  if (report !== undefined) await writeFile(report, htmlReport(certificates, replayLine));
  return certificates.every(({ counts }) => counts.failed + counts['not-run'] === 0) ? 0 : 1;
}
