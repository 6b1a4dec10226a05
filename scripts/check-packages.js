/**
 * Checks that the packages have one shape: package.json fields, exports, sibling ranges, project references, README headings,
 * changesets, and what publint and attw find in the packed tarballs. Run the build first.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finish } from './lib/finish.js';
import { shapeProblems } from './lib/package-shape.js';
import { referenceProblems } from './lib/project-references.js';
import { headingFault } from './lib/readme-headings.js';
import { releaseProblems } from './lib/release-rules.js';
import { siblingRangeProblems } from './lib/sibling-ranges.js';
import { tarballProblems } from './lib/tarballs.js';
import { ROOT, readJson, readManifests } from './lib/workspace.js';

const manifests = readManifests();
const published = Object.fromEntries(
  Object.entries(manifests).filter(([, { private: isPrivate }]) => !isPrivate),
);

const problems = [
  ...Object.entries(published).flatMap(([folder, manifest]) =>
    shapeProblems(folder, manifest, (path) => existsSync(join(ROOT, 'packages', folder, path))),
  ),
  ...Object.keys(published).filter(isStore).flatMap(headingProblems),
  ...siblingRangeProblems(manifests),
  ...referenceProblems(manifests, readReferences(Object.keys(manifests))),
  ...releaseProblems(published, readJson('.changeset/config.json'), readChangesets()),
];
// Tarballs of misshapen packages would repeat the same faults at length.
if (problems.length === 0) problems.push(...(await tarballProblems(published)));
finish(problems, `packages: ${Object.keys(published).length} have the common shape, tarballs are sound`);

function isStore(folder) {
  return folder.startsWith('store-');
}

function headingProblems(folder) {
  const path = join(ROOT, 'packages', folder, 'README.md');
  const fault = existsSync(path) && headingFault(readFileSync(path, 'utf8'));
  return fault ? [`packages/${folder}: ${fault}`] : [];
}

function readReferences(folders) {
  const read = (path) => (readJson(path).references ?? []).map((reference) => reference.path);
  const ofPackages = folders.map((folder) => [folder, read(`packages/${folder}/tsconfig.json`)]);
  return { '.': read('tsconfig.json'), ...Object.fromEntries(ofPackages) };
}

function readChangesets() {
  const files = readdirSync(join(ROOT, '.changeset')).filter((file) => file.endsWith('.md'));
  return Object.fromEntries(
    files.map((file) => [file, readFileSync(join(ROOT, '.changeset', file), 'utf8')]),
  );
}
