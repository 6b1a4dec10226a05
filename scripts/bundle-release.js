/**
 * Turns the build of core and the stores into what is published: one file an entry, and one for what several entries share, in place
 * of a file a module. A program that imports them waits for a handful of files rather than for two hundred. Declarations stay as they
 * are. `npm run build:release` calls it; `npx tsc -b --force` brings the other layout back.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT, readManifests } from './lib/workspace.js';

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
  });
  await build.close();
  const modules = (await readdir(dist, { recursive: true })).filter((path) => path.endsWith('.js'));
  for (const path of modules) await rm(join(dist, path));
  for (const { fileName, code } of output) {
    await mkdir(dirname(join(dist, fileName)), { recursive: true });
    await writeFile(join(dist, fileName), code);
  }
  console.log(`${name}: ${modules.length} files, now ${output.length}`);
}
