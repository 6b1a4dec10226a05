import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { expectedCertificate } from '../../src/conformance/expected-certificate.js';
import { promisersOf, withPromises } from '../../src/conformance/promise-tables.js';
import { HARNESSES } from '../../src/conformance/stores.js';

const PACKAGES = new URL('../../../', import.meta.url);
const readmes = readdirSync(PACKAGES)
  .filter((name) => name.startsWith('store-'))
  .map((name) => [name, readFileSync(new URL(`${name}/README.md`, PACKAGES), 'utf8')] as const);

describe('the promise tables of the READMEs', () => {
  it.each(readmes)('%s: say what the store declares, and why', async (_name, readme) => {
    const told = promisersOf(readme);
    const certificates = await Promise.all(
      HARNESSES.filter(({ name }) => told.includes(name)).map(expectedCertificate),
    );
    expect(certificates.map(({ store }) => store)).toEqual(told);
    // `npm run conformance -- docs` writes them.
    expect(readme).toBe(withPromises(readme, certificates));
    expect(readme).not.toMatch(/^\| `\w+` \| .* \| +\|$/m);
  });

  it('are there for every store', () => {
    const told = readmes.flatMap(([, readme]) => promisersOf(readme));
    expect([...told].sort()).toEqual(HARNESSES.map(({ name }) => name).sort());
  });
});
