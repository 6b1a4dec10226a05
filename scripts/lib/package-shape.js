/**
 * What every published package.json looks like, so that a reader who knows one knows all. Pure: returns sentences.
 */
const REPOSITORY = 'https://github.com/lousho/lousho';
const FREE_FIELDS = [
  'version',
  'description',
  'keywords',
  'exports',
  'bin',
  'dependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'devDependencies',
];
const CORE = '@lousho/core';

/**
 * @param {string} folder below `packages/`
 * @param {object} manifest its package.json
 * @param {(path: string) => boolean} exists asks for a file of the package: `./dist/index.js`
 * @returns {string[]}
 */
export function shapeProblems(folder, manifest, exists) {
  const problems = [
    ...fieldProblems(folder, manifest),
    ...exportProblems(manifest, exists),
    ...(folder === 'core' ? coreProblems(manifest) : []),
    ...(folder.startsWith('store-') ? storeProblems(manifest) : []),
    ...(exists('./README.md') ? [] : ['README.md is missing']),
  ];
  return problems.map((problem) => `packages/${folder}: ${problem}`);
}

function fixedFields(folder) {
  return {
    // `npm create lousho` looks for that very name.
    name: isCreator(folder) ? folder : `@lousho/${folder}`,
    type: 'module',
    license: 'MIT',
    repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: `packages/${folder}` },
    homepage: `${REPOSITORY}/tree/main/packages/${folder}#readme`,
    bugs: `${REPOSITORY}/issues`,
    engines: { node: '>=20.19' },
    sideEffects: false,
    // The build's own notes stay home, and the maps: they point at sources that are not there.
    files: [
      'dist',
      '!dist/**/*.tsbuildinfo',
      '!dist/**/*.map',
      'README.md',
      ...(isCreator(folder) ? ['template'] : []),
    ],
    publishConfig: { access: 'public' },
    scripts: { build: 'tsc -b' },
  };
}

function fieldProblems(folder, manifest) {
  const fixed = fixedFields(folder);
  const wrong = Object.keys(fixed)
    .filter((field) => JSON.stringify(manifest[field]) !== JSON.stringify(fixed[field]))
    .map((field) => `"${field}" should be ${JSON.stringify(fixed[field])}`);
  const missing = ['version', 'description', isCreator(folder) ? 'bin' : 'exports'].filter(
    (field) => !(field in manifest),
  );
  const unknown = Object.keys(manifest).filter((field) => !(field in fixed) && !FREE_FIELDS.includes(field));
  return [
    ...wrong,
    ...missing.map((field) => `"${field}" is missing`),
    ...unknown.map((field) => `"${field}" is in no other package; add it to package-shape.js or remove it`),
  ];
}

function exportProblems({ exports = {}, bin = {} }, exists) {
  const problems = [];
  for (const [entry, target] of Object.entries(exports)) {
    if (Object.keys(target).join() !== 'types,default') {
      problems.push(`export "${entry}" should have "types", then "default"`);
    }
  }
  const targets = [...Object.values(exports).flatMap(Object.values), ...Object.values(bin)];
  const absent = targets.filter((path) => !exists(path));
  return [...problems, ...absent.map((path) => `${path} does not exist after the build`)];
}

function coreProblems({ dependencies, peerDependencies, devDependencies }) {
  const siblings = Object.keys({ ...peerDependencies, ...devDependencies }).filter(isSibling);
  return [
    ...Object.keys(dependencies ?? {}).map((name) => `core has no dependency, found ${name}`),
    ...siblings.map((name) => `core depends on none of our packages, not even for tests, found ${name}`),
  ];
}

function storeProblems({ exports, dependencies, peerDependencies, devDependencies }) {
  const problems = [];
  if (Object.keys(exports ?? {}).join() !== '.') problems.push('a store exports "." only');
  // As a dependency too, npm could install a second core; turbo's `^build` sees dev dependencies and no peers.
  if (!peerDependencies?.[CORE] || !devDependencies?.[CORE]) {
    problems.push(`${CORE} should be a peer and a dev dependency`);
  }
  const siblings = Object.keys({ ...dependencies, ...peerDependencies }).filter(isSibling);
  for (const name of siblings)
    if (name !== CORE) problems.push(`a store depends on no other package, found ${name}`);
  return problems;
}

const isCreator = (folder) => folder.startsWith('create-');
const isSibling = (name) => name.startsWith('@lousho/');
