import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Compiled, compile, type Example, examplesOf } from './support/examples.js';
import { readPage, readPages } from './support/pages.js';

const examples = readPages()
  .flatMap(examplesOf)
  .filter(({ marks }) => !marks.includes('ignore'));
const programs = examples.filter(({ marks }) => marks.includes('run'));
const [first] = examplesOf(readPage('README.md'));
if (!first) throw new Error('README.md has no example');

let compiled: Compiled;
beforeAll(async () => {
  compiled = await compile([...examples, { ...first, name: 'first_example_as_typescript', language: 'ts' }]);
});
afterAll(() => compiled?.dispose());

describe('the code blocks of the documents', () => {
  it(`${examples.length} of them, compile in strict mode`, () => {
    expect(examples).not.toEqual([]);
    expect(compiled.complaints).toBe('');
  });

  it.each(programs.map((example) => [example.name, example] as const))('%s runs', async (_, example) => {
    await promisify(execFile)(process.execPath, [compiled.programOf(example)], {
      cwd: await compiled.newFolder(),
    });
  });
});

describe("the README's first example", () => {
  it('is plain JavaScript', () => {
    expect(first.language).toBe('js');
  });

  it('is finished by its second process when the first is killed while it ships, and charges once', async () => {
    const folder = await compiled.newFolder();
    const killed = await run(first, folder, { killAt: 'shipping' });
    const second = await run(first, folder);
    expect(killed).toEqual({ signal: 'SIGKILL', lines: [expect.stringMatching(/^charging 42/), SHIPPING] });
    expect(second).toEqual({ signal: null, lines: [SHIPPING, 'Order 7 is charged and on its way.'] });
  });
});

const SHIPPING = 'shipping order-7 ...';

/** Runs an example as a process of its own, and kills it as soon as it says a word. */
async function run(example: Example, cwd: string, { killAt }: { killAt?: string } = {}) {
  const child = spawn(process.execPath, [compiled.programOf(example)], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (killAt !== undefined && said.includes(killAt)) child.kill('SIGKILL');
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { signal, lines: said.trim().split('\n') };
}
