/**
 * `tsc -b` builds in the order of the references, so they must repeat what the package.json files say. Pure: returns sentences.
 */

/**
 * @param {Record<string, object>} manifests folder to package.json
 * @param {Record<string, string[]>} references folder to the paths its tsconfig.json references; `.` is the root
 */
export function referenceProblems(manifests, references) {
  const problems = Object.keys(manifests)
    .filter((folder) => !references['.'].includes(`packages/${folder}`))
    .map((folder) => `tsconfig.json references no packages/${folder}`);
  for (const [folder, { dependencies, devDependencies }] of Object.entries(manifests)) {
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      const sibling = /^@lousho\/(.+)/.exec(name)?.[1];
      if (!sibling || references[folder].some((path) => path.split('/')[1] === sibling)) continue;
      problems.push(`packages/${folder}/tsconfig.json references no ../${sibling}`);
    }
  }
  return problems;
}
