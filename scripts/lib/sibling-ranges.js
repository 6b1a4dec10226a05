/**
 * npm refuses `workspace:*`, so packages name each other by plain caret ranges. A range that the local version does not satisfy
 * would silently install a published copy next to the local one.
 */
import semver from 'semver';

const KINDS = ['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies'];

/**
 * @param {Record<string, object>} manifests folder to package.json
 * @returns {string[]}
 */
export function siblingRangeProblems(manifests) {
  const versions = Object.fromEntries(Object.values(manifests).map(({ name, version }) => [name, version]));
  const problems = [];
  for (const [folder, manifest] of Object.entries(manifests)) {
    const siblings = KINDS.flatMap((kind) => Object.entries(manifest[kind] ?? {})).filter(isSibling);
    for (const [name, range] of siblings) {
      const fault = faultOf(range, versions[name]);
      if (fault) problems.push(`packages/${folder}: ${name} "${range}" ${fault}`);
    }
  }
  return [...problems, ...versionProblems(manifests)];
}

function faultOf(range, version) {
  if (version === undefined) return 'is no package of this workspace';
  if (!/^\^\d+\.\d+\.\d+$/.test(range)) return 'should be a plain caret range';
  return semver.satisfies(version, range) ? undefined : `does not admit the local ${version}`;
}

/** Published packages are released together, with one version. */
function versionProblems(manifests) {
  const published = Object.values(manifests).filter((manifest) => !manifest.private);
  const versions = new Set(published.map(({ version }) => version));
  return versions.size > 1 ? [`published packages differ in version: ${[...versions].join(', ')}`] : [];
}

const isSibling = ([name]) => name.startsWith('@lousho/');
