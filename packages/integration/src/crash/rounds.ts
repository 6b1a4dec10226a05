import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CrashSetup } from './crash-test.js';

/** Plays a round again and again, one after another, each in a folder of its own. */
export async function roundsOf<T>(
  setup: CrashSetup,
  usual: number,
  play: (round: number, folder: string) => Promise<T>,
): Promise<readonly T[]> {
  const rounds = setup.rounds ?? usual;
  const played: T[] = [];
  for (let round = 1; round <= rounds; round++) {
    setup.progress(round - 1, rounds);
    played.push(await play(round, emptyFolder(setup.folder, `round-${round}`)));
  }
  return played;
}

export function emptyFolder(parent: string, name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}
