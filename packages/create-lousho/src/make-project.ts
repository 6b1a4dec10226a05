import { copyFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

const TEMPLATE = new URL('../template/', import.meta.url);
const OWN_MANIFEST = new URL('../package.json', import.meta.url);

/** The folder holds something that would be written over. */
export class FolderInUseError extends Error {
  constructor(folder: string, found: readonly string[]) {
    super(
      `Expected ${folder} to be new or empty, found ${found.slice(0, 3).join(', ')} in it. Nothing was written.`,
    );
  }
}

/** Writes the template into a folder that is new or empty. */
export async function makeProject(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // A folder that was just cloned is as good as empty.
  const found = (await readdir(folder)).filter((name) => name !== '.git');
  if (found.length > 0) throw new FolderInUseError(folder, found);
  for (const name of await readdir(TEMPLATE)) await copyFile(new URL(name, TEMPLATE), join(folder, name));
  // npm packs no `.gitignore`.
  await rename(join(folder, 'gitignore'), join(folder, '.gitignore'));
  await writeFile(join(folder, 'package.json'), await manifestFor(folder));
}

/** All our packages have one version: that of this one. */
async function manifestFor(folder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(OWN_MANIFEST, 'utf8')) as { version: string };
  const manifest = {
    name: packageName(basename(folder)),
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: { start: 'node agent.js', demo: 'node demo.js' },
    dependencies: { '@lousho/core': `^${version}`, '@lousho/store-file': `^${version}` },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** What npm takes for a name. */
function packageName(folder: string): string {
  return (
    folder
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'lousho-app'
  );
}
