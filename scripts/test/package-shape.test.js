import { describe, expect, test } from 'vitest';
import { shapeProblems } from '../lib/package-shape.js';

const everythingExists = () => true;

function manifest(folder, changes = {}) {
  return {
    name: `@lousho/${folder}`,
    version: '0.1.0',
    description: 'Keeps runs',
    type: 'module',
    license: 'MIT',
    repository: {
      type: 'git',
      url: 'git+https://github.com/lousho/lousho.git',
      directory: `packages/${folder}`,
    },
    homepage: `https://github.com/lousho/lousho/tree/main/packages/${folder}#readme`,
    bugs: 'https://github.com/lousho/lousho/issues',
    engines: { node: '>=20.19' },
    sideEffects: false,
    files: ['dist', '!dist/**/*.tsbuildinfo', '!dist/**/*.map', 'README.md'],
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    publishConfig: { access: 'public' },
    scripts: { build: 'tsc -b' },
    ...changes,
  };
}

function store(changes = {}) {
  const core = { '@lousho/core': '^0.1.0' };
  return manifest('store-x', { peerDependencies: core, devDependencies: core, ...changes });
}

describe('the shape of a package', () => {
  test('a core and a store in the common shape have no problem', () => {
    expect(shapeProblems('core', manifest('core'), everythingExists)).toEqual([]);
    expect(shapeProblems('store-x', store(), everythingExists)).toEqual([]);
  });

  test('what `npm create` runs has a name of its own, a program and a template', () => {
    const { exports: _, files, ...rest } = manifest('create-x', { name: 'create-x' });
    const creator = { ...rest, files: [...files, 'template'], bin: { 'create-x': './dist/cli.js' } };
    expect(shapeProblems('create-x', creator, everythingExists)).toEqual([]);
    const { bin: __, ...without } = creator;
    expect(shapeProblems('create-x', without, everythingExists)).toEqual([
      'packages/create-x: "bin" is missing',
    ]);
  });

  test.each([
    ['another license', { license: 'ISC' }, '"license" should be "MIT"'],
    ['other files', { files: ['src'] }, '"files" should be ["dist"'],
    ['a field that no other package has', { main: 'dist/index.js' }, '"main" is in no other package'],
    [
      'types after default',
      { exports: { '.': { default: './a.js', types: './a.d.ts' } } },
      'should have "types"',
    ],
    ['a second export', { exports: { ...store().exports, './x': store().exports['.'] } }, 'exports "." only'],
    ['core as no dev dependency', { devDependencies: {} }, 'a peer and a dev dependency'],
    ['core as no peer', { peerDependencies: {} }, 'a peer and a dev dependency'],
    ['another store', { dependencies: { '@lousho/store-y': '^0.1.0' } }, 'found @lousho/store-y'],
  ])('a store with %s', (_, changes, problem) => {
    const found = shapeProblems('store-x', store(changes), everythingExists);
    expect(found).toEqual([expect.stringContaining(problem)]);
  });

  test('a field that is left out is named', () => {
    const { description: _, ...rest } = store();
    expect(shapeProblems('store-x', rest, everythingExists)).toEqual([
      'packages/store-x: "description" is missing',
    ]);
  });

  test('an export that the build did not make is named', () => {
    const problems = shapeProblems('store-x', store(), (path) => path !== './dist/index.d.ts');
    expect(problems).toEqual(['packages/store-x: ./dist/index.d.ts does not exist after the build']);
  });

  test('a missing README is named', () => {
    const problems = shapeProblems('store-x', store(), (path) => path !== './README.md');
    expect(problems).toEqual(['packages/store-x: README.md is missing']);
  });

  test.each([
    ['a dependency', { dependencies: { ms: '^2.0.0' } }, 'core has no dependency, found ms'],
    ['a store for its tests', { devDependencies: { '@lousho/store-file': '^0.1.0' } }, 'not even for tests'],
  ])('core with %s', (_, changes, problem) => {
    const found = shapeProblems('core', manifest('core', changes), everythingExists);
    expect(found).toEqual([expect.stringContaining(problem)]);
  });
});
