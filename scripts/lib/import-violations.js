/**
 * Holds every import of a source tree to the rules of `import-rules.js`. Pure: takes file texts and package.json contents,
 * returns sentences.
 */
import { posix } from 'node:path';
import { CORE_LAYERS, CORE_TYPE_PACKAGES, NODE_LAYER, PACKAGE_RULES } from './import-rules.js';
import { importsOf } from './imports-of.js';

/**
 * @param {Record<string, string>} sources `packages/core/src/run/decide.ts` to its text
 * @param {Record<string, object>} manifests `core` to its package.json
 * @returns {string[]} one sentence per violation
 */
export function importViolations(sources, manifests) {
  const violations = [];
  for (const [path, text] of Object.entries(sources)) {
    for (const found of importsOf(path, text)) {
      const fault = faultOf(path, found, manifests);
      if (fault) violations.push(`${path}:${found.line} ${describe(found)}: ${fault}`);
    }
  }
  return violations;
}

/** The path a relative import means: TypeScript writes `./decide.js` for `decide.ts`. */
export function resolveRelative(from, specifier) {
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

export const isRelative = (specifier) => /^\.\.?(\/|$)/.test(specifier);

function faultOf(path, found, manifests) {
  const home = placeOf(path);
  if (home.package === 'core') {
    if (!(home.layer in CORE_LAYERS)) return `core has no folder '${home.layer}' in import-rules.js`;
    return faultInCore(path, home, found);
  }
  const rule = PACKAGE_RULES.find((candidate) => candidate.package.test(home.package));
  if (!rule) return `no rule in import-rules.js names package '${home.package}'`;
  return faultInPackage(path, home, found, rule, manifests[home.package]);
}

function faultInCore(path, home, { specifier, isTypeOnly }) {
  if (specifier === undefined) return 'core imports nothing by a computed name';
  if (isRelative(specifier)) {
    const target = placeOf(resolveRelative(path, specifier));
    if (target.package !== 'core') return 'another package is imported by its name';
    if (target.layer === home.layer || CORE_LAYERS[home.layer].includes(target.layer)) return undefined;
    const allowed = CORE_LAYERS[home.layer].join(', ') || 'nothing outside itself';
    return `core's ${home.layer} may import ${allowed}`;
  }
  if (specifier.startsWith('node:')) {
    return home.layer === NODE_LAYER ? undefined : `only core's ${NODE_LAYER} may import Node builtins`;
  }
  if (isTypeOnly && CORE_TYPE_PACKAGES.includes(specifier)) return undefined;
  return 'core imports no package';
}

function faultInPackage(path, home, { specifier }, rule, manifest) {
  // A command line loads the file that its user names.
  if (specifier === undefined) return undefined;
  if (isRelative(specifier)) {
    const target = placeOf(resolveRelative(path, specifier));
    return target.package === home.package ? undefined : 'another package is imported by its name';
  }
  if (specifier.startsWith('node:')) return undefined;
  if (specifier.startsWith('@lousho/')) return rule.siblings.test(specifier) ? undefined : rule.says;
  const name = packageName(specifier);
  return declared(manifest).includes(name) ? undefined : `'${name}' is no dependency of its package.json`;
}

/** What a package may import at run time; nobody installs a private one, so there its dev dependencies count too. */
function declared(manifest) {
  const { dependencies, peerDependencies, optionalDependencies, devDependencies } = manifest;
  const forPrivate = manifest.private ? devDependencies : {};
  return Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies, ...forPrivate });
}

function placeOf(path) {
  const [, name, layer] = /^packages\/([^/]+)\/src\/([^/]+)/.exec(path) ?? [];
  return { package: name, layer: layer?.replace(/\.ts$/, '') };
}

function packageName(specifier) {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

function describe({ specifier }) {
  return specifier === undefined ? 'imports a computed name' : `imports '${specifier}'`;
}
