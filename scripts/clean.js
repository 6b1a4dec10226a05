/**
 * Removes what the build made. `tsc -b` leaves the output of a deleted source file behind; a release starts clean.
 */
import { readdirSync, rmSync } from 'node:fs';

const root = new URL('../', import.meta.url);

for (const name of readdirSync(new URL('packages/', root))) {
  rmSync(new URL(`packages/${name}/dist`, root), { recursive: true, force: true });
}
rmSync(new URL('.turbo', root), { recursive: true, force: true });
