/**
 * Keeps a changeset from releasing what nobody meant. Published packages share one version (the `fixed` group), and stores have core
 * as a peer in a caret range. Below 1.0.0 that range admits no minor release, and a peer that leaves its range is a major release
 * for its dependents: one `minor` would take every package to 1.0.0.
 */

/**
 * @param {Record<string, object>} published folder to package.json
 * @param {{ fixed: string[][] }} config `.changeset/config.json`
 * @param {Record<string, string>} changesets file name to text
 * @returns {string[]}
 */
export function releaseProblems(published, config, changesets) {
  const ungrouped = Object.values(published).filter(({ name }) => !isInGroup(name, config.fixed.flat()));
  const isBelowOne = Object.values(published).some(({ version }) => version.startsWith('0.'));
  const jumps = Object.keys(changesets).filter((file) => isBelowOne && asksForMinor(changesets[file]));
  return [
    ...ungrouped.map(({ name }) => `.changeset/config.json: ${name} is not in the fixed group`),
    ...jumps.map((file) => `.changeset/${file}: minor would release 1.0.0; below 1.0.0 use patch`),
  ];
}

function isInGroup(name, patterns) {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}

function asksForMinor(text) {
  const [, frontMatter = ''] = /^---\n([\s\S]*?)\n---/.exec(text) ?? [];
  return /: *['"]?minor\b/.test(frontMatter);
}
