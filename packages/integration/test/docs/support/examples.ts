import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Page, ROOT } from './pages.js';

/** A code block that a reader may copy. */
export interface Example {
  /** Names page and line: `docs_guides_tools_md_line_12`. */
  readonly name: string;
  readonly language: 'ts' | 'js';
  /** What stands behind the language: `run` for a complete program, `ignore` for a fragment. */
  readonly marks: readonly string[];
  readonly code: string;
}

export function examplesOf(page: Page): readonly Example[] {
  const blocks = page.text.matchAll(/^(`{3,})(ts|js)\b([^\n]*)\n([\s\S]*?)^\1[ \t]*$/gm);
  return [...blocks].map(([, , language, marks = '', code = ''], index, all) => {
    const line = page.text.slice(0, all[index]?.index).split('\n').length;
    return {
      name: `${page.path.replace(/\W/g, '_')}_line_${line}`,
      language: language as 'ts' | 'js',
      marks: marks.split(/\s+/).filter((mark) => mark !== ''),
      code,
    };
  });
}

/** Compiled examples, in a folder inside the workspace so that they find its packages as an application would. */
export interface Compiled {
  /** What the compiler found; empty when nothing is wrong. */
  readonly complaints: string;
  /** The JavaScript of an example. */
  programOf(example: Example): string;
  /** An empty folder to run in. */
  newFolder(): Promise<string>;
  dispose(): Promise<void>;
}

export async function compile(examples: readonly Example[]): Promise<Compiled> {
  const dist = join(ROOT, 'packages/integration/dist');
  await mkdir(dist, { recursive: true });
  const folder = await mkdtemp(join(dist, 'docs-examples-'));
  for (const { name, language, code } of examples) {
    await writeFile(join(folder, `${name}.${language}`), code);
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(STRICT));
  return {
    complaints: await complaintsOf(folder),
    programOf: ({ name }) => join(folder, 'out', `${name}.js`),
    newFolder: () => mkdtemp(join(folder, 'run-')),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

const STRICT = {
  extends: '../../../../tsconfig.base.json',
  compilerOptions: {
    lib: ['es2023', 'dom'],
    types: ['node'],
    allowJs: true,
    checkJs: true,
    // Each example is a module of its own, also one that imports nothing.
    moduleDetection: 'force',
    verbatimModuleSyntax: false,
    composite: false,
    declaration: false,
    declarationMap: false,
    sourceMap: false,
    inlineSources: false,
    rootDir: '.',
    outDir: 'out',
  },
  include: ['*.ts', '*.js'],
};

async function complaintsOf(folder: string): Promise<string> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder });
    return '';
  } catch (error) {
    const { stdout, message } = error as { stdout?: string; message: string };
    return stdout || message;
  }
}
