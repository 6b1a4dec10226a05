/**
 * Checks the direction of imports over the packages' src: the arrows of `lib/import-rules.js`, and no cycle between files.
 */
import { finish } from './lib/finish.js';
import { importCycles } from './lib/import-cycles.js';
import { importViolations } from './lib/import-violations.js';
import { readManifests, readSources } from './lib/workspace.js';

const manifests = readManifests();
const sources = Object.assign({}, ...Object.keys(manifests).map(readSources));
const problems = [
  ...importViolations(sources, manifests),
  ...importCycles(sources).map((cycle) => `import cycle: ${cycle}`),
];
finish(problems, `imports: ${Object.keys(sources).length} files keep the direction, no cycle`);
