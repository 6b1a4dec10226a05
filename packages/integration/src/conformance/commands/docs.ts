import { writeFile } from 'node:fs/promises';
import { runConformance } from '@lousho/conformance';
import { conformancePage } from '../conformance-page.js';
import { HARNESSES } from '../stores.js';

/** Writes docs/conformance.md from a run of tiers 0 and 1. */
export async function run(): Promise<number> {
  const certificates = [];
  for (const harness of HARNESSES) certificates.push(await runConformance(harness, { tier: 1 }));
  const isKept = certificates.every(({ counts }) => counts.failed + counts['not-run'] === 0);
  if (!isKept) {
    console.error('A promise was not kept; see npm run conformance. Nothing was written.');
    return 1;
  }
  await writeFile(
    new URL('../../../../../docs/conformance.md', import.meta.url),
    conformancePage(certificates),
  );
  return 0;
}
