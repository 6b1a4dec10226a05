/**
 * Turns the build of core and the stores into what is published: one file an entry, and one for what they share, in place of a file
 * a module, without comments and in ASCII. A program that imports them waits for a handful of files rather than for two hundred, and
 * for less to read. Declarations stay as they are, comments included. `npm run build:release` calls it; `npx tsc -b --force` brings
 * the other layout back.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT, readManifests } from './lib/workspace.js';

/** What a program that runs agents has no need of, or not everywhere, stays in files of its own; all the rest is one. */
const APART = /^(node|testing)\b/;

for (const [folder, manifest] of Object.entries(readManifests())) {
  // The kit starts files of its own as processes.
  if (folder === 'core' || folder.startsWith('store-')) await bundle(folder, manifest);
}

async function bundle(folder, { name, exports }) {
  const dist = join(ROOT, 'packages', folder, 'dist');
  const entries = Object.values(exports).map((entry) => join(ROOT, 'packages', folder, entry.default));
  const build = await rolldown({
    input: Object.fromEntries(entries.map((path) => [relative(dist, path).replace(/\.js$/, ''), path])),
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    platform: 'neutral',
  });
  const { output } = await build.generate({
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name].js',
    codeSplitting: {
      groups: entries.length > 1 ? [{ name: 'main', test: (id) => !APART.test(relative(dist, id)) }] : [],
    },
    // `#__PURE__` and the like help those who bundle it again.
    comments: { jsdoc: false, legal: false, annotation: true },
  });
  await build.close();
  const modules = (await readdir(dist, { recursive: true })).filter((path) => path.endsWith('.js'));
  for (const path of modules) await rm(join(dist, path));
  for (const { fileName, code } of output) {
    await mkdir(dirname(join(dist, fileName)), { recursive: true });
    await writeFile(join(dist, fileName), inAscii(code));
  }
  console.log(`${name}: ${modules.length} files, now ${output.length}`);
}

/** Without comments, what is not ASCII stands in texts. One such character makes Node hold the whole file at two bytes a character. */
function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
