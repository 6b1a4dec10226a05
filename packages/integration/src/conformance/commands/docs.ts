import { readdir, readFile, writeFile } from 'node:fs/promises';
import { failureTexts, runConformance } from '@lousho/conformance';
import { conformancePage } from '../conformance-page.js';
import { withGuarantees } from '../guarantee-table.js';
import { PATIENCE_MS } from '../patience.js';
import { withPromises } from '../promise-tables.js';
import { replayLine } from '../replay-line.js';
import { HARNESSES } from '../stores.js';

const ROOT = new URL('../../../../../', import.meta.url);

/** Writes docs/conformance.md, the table of docs/guarantees.md and the promise tables of the READMEs from a run of tiers 0 and 1. */
export async function run(): Promise<number> {
  const certificates = [];
  for (const harness of HARNESSES)
    certificates.push(await runConformance(harness, { tier: 1, timeLimitMs: PATIENCE_MS }));
  const isKept = certificates.every(({ counts }) => counts.failed + counts['not-run'] === 0);
  if (!isKept) {
    for (const certificate of certificates) {
      for (const text of failureTexts(certificate, replayLine))
        console.error(`${certificate.store}\n${text}\n`);
    }
    console.error('A promise was not kept. Nothing was written.');
    return 1;
  }
  await writeFile(new URL('docs/conformance.md', ROOT), conformancePage(certificates));
  const guarantees = new URL('docs/guarantees.md', ROOT);
  await writeFile(guarantees, withGuarantees(await readFile(guarantees, 'utf8'), certificates));
  for (const name of await readdir(new URL('packages/', ROOT))) {
    const readme = new URL(`packages/${name}/README.md`, ROOT);
    const text = await readFile(readme, 'utf8').catch(() => undefined);
    if (text !== undefined) await writeFile(readme, withPromises(text, certificates));
  }
  return 0;
}
