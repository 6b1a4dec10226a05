import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { emptyFolder } from '../storage/place.js';
import type { Tree } from './cuts.js';

/** Makes the files of a modelled disk real, in a folder that is emptied before. */
export function layOut(tree: Tree, target: string): string {
  const folder = emptyFolder(target);
  for (const [path, bytes] of tree) {
    if (path.endsWith('/')) mkdirSync(join(folder, path), { recursive: true });
    else {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    }
  }
  return folder;
}
