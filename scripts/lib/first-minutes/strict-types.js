/** Compiles a program against the installed packages under the strictest settings, their own declarations included. */
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../run-program.js';
import { ROOT } from '../workspace.js';

const SETTINGS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
};

/** Rejects with what the compiler says. */
export async function checkTypes(folder, source) {
  await writeFile(join(folder, 'agent.ts'), source);
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: SETTINGS, files: ['agent.ts'] }),
  );
  // The compiler and Node's types are no part of what is measured.
  await symlink(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  await runProgram(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder });
}
