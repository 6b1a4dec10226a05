import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'create-lousho-'));
});
afterEach(() => rm(place, { recursive: true, force: true }));

describe('create-lousho', () => {
  it('makes a folder whose demo kills itself and resumes', async () => {
    const made = await node([CLI, 'My Agent'], place);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const folder = join(place, 'My Agent');
    const files = ['.gitignore', 'README.md', 'agent.js', 'demo.js', 'package.json'];
    expect((await readdir(folder)).sort()).toEqual(files);
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    expect(manifest.name).toBe('my-agent');
    expect(Object.keys(manifest.dependencies)).toEqual(['@lousho/core', '@lousho/store-file']);

    // What `npm install` would bring.
    await symlink(NODE_MODULES, join(folder, 'node_modules'));
    const { code, stdout } = await node([manifest.scripts.demo.split(' ')[1]], folder);
    expect(stdout.split('\n')).toEqual([
      'first process: charge',
      'first process: ship',
      'first process: ended with SIGKILL',
      'second process: ship',
      'second process: Done.',
      'second process: ended with 0',
      'The card was charged once.',
      '',
    ]);
    expect(code).toBe(0);
  });

  it('takes a folder that holds a git repository only', async () => {
    await node(['-e', "require('fs').mkdirSync('app/.git', { recursive: true })"], place);
    expect((await node([CLI, 'app'], place)).code).toBe(0);
  });

  it('refuses a folder that is in use, and leaves it as it was', async () => {
    await writeFile(join(place, 'notes.txt'), 'mine');
    const { code, stderr } = await node([CLI, '.'], place);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `Expected ${place} to be new or empty, found notes.txt in it. Nothing was written.`,
    );
    expect(await readdir(place)).toEqual(['notes.txt']);
  });

  it.each([['--force'], ['one', 'two']])('refuses the arguments %s %s', async (...args) => {
    const { code, stderr } = await node([CLI, ...args], place);
    expect(code).toBe(2);
    expect(stderr).toContain(`Expected one folder, got: ${args.join(' ')}`);
    expect(await readdir(place)).toEqual([]);
  });

  it('tells a Node that is too old by name', async () => {
    const older = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'18.20.8'})`;
    const { code, stderr } = await node(['--import', older, CLI], place);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'create-lousho needs Node 20.19.0 or newer; this is Node 18.20.8.\n',
    });
  });
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function node(args: readonly string[], cwd: string): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}
