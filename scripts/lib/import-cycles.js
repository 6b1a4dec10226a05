/**
 * Finds the cycles of a source tree's relative imports, types included: two files that need each other are one idea.
 */
import { isRelative, resolveRelative } from './import-violations.js';
import { importsOf } from './imports-of.js';

/** @returns {string[]} each cycle as `a.ts -> b.ts -> a.ts` */
export function importCycles(sources) {
  const cycles = [];
  const finished = new Set();
  const trail = [];

  const visit = (path) => {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path].join(' -> '));
    if (start >= 0 || finished.has(path)) return;
    trail.push(path);
    for (const next of neighbours(path, sources)) visit(next);
    trail.pop();
    finished.add(path);
  };
  for (const path of Object.keys(sources)) visit(path);
  return cycles;
}

function neighbours(path, sources) {
  return importsOf(path, sources[path])
    .map(({ specifier }) => specifier)
    .filter((specifier) => specifier !== undefined && isRelative(specifier))
    .map((specifier) => resolveRelative(path, specifier))
    .filter((target) => target in sources);
}
