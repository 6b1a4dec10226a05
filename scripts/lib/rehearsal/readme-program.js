/** The first program of a store's README, as a file that runs by itself: with a scripted model, on a real server. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../workspace.js';

const PROVIDER = `import { mockModel } from '@lousho/core/testing';
const provider = mockModel(['Done.'], { onExhausted: 'repeat-last' });`;

/**
 * @param {string} folder below `packages/`
 * @param {Record<string, string>} places what the README names, and what there is here in its place
 * @returns {Promise<string>} TypeScript
 */
export async function readmeProgram(folder, places) {
  const readme = await readFile(join(ROOT, 'packages', folder, 'README.md'), 'utf8');
  const block = /\n## Use\n[\s\S]*?```ts\n([\s\S]*?)```/.exec(readme)?.[1];
  if (!block) throw new Error(`packages/${folder}/README.md has no program under "Use"`);
  const program = Object.entries(places).reduce((text, [named, place]) => {
    if (!text.includes(named))
      throw new Error(`packages/${folder}/README.md does not name ${named} any more`);
    return text.replace(named, () => place);
  }, block);
  return program.replace('declare const provider: LLMProvider;', PROVIDER).replace(', type LLMProvider', '');
}
