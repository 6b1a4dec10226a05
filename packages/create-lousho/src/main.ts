import { relative, resolve } from 'node:path';
import { FolderInUseError, makeProject } from './make-project.js';

const USAGE = `Usage: npm create lousho@latest [folder]

Makes a folder (default: lousho-app) with an agent on a file store, and a demo that kills it half-way and lets it finish.`;

/** The exit code: 0 made, 1 the folder is in use, 2 wrong arguments. */
export async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(USAGE);
    return 0;
  }
  const [folder = 'lousho-app', ...more] = args;
  if (folder.startsWith('-') || more.length > 0) {
    console.error(`Expected one folder, got: ${args.join(' ')}\n\n${USAGE}`);
    return 2;
  }
  try {
    await makeProject(resolve(folder));
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    console.error(error.message);
    return 1;
  }
  const shown = relative(process.cwd(), resolve(folder)) || '.';
  console.log(`Made ${shown}. Now:\n\n  cd ${shown}\n  npm install\n  npm run demo\n`);
  return 0;
}
