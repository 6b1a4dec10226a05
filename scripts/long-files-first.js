/**
 * The order in which vitest takes the test files: those that take minutes first, so that the workers end together. One that begins
 * last would run alone while the others stand still. vitest knows how long a file took where it ran before, and on a fresh machine
 * goes by size, which says nothing here: the longest files are a few lines that start hundreds of processes.
 */
import { BaseSequencer } from 'vitest/node';

/** From the longest down. What fits none of these takes seconds. */
const LONG = [
  // Every rule over HTTP, in a stand-in that has one thread.
  /integration\/test\/conformance\/dynamodb\./,
  // A process for each kill, some hundreds.
  /integration\/test\/conformance\/faults-(file|sqlite)\./,
  /integration\/test\/crash\//,
  // The fault cells again, on broken stores.
  /integration\/test\/conformance\/(mutants|many-seeds)\./,
  // Every point of a run, on every store.
  /integration\/test\/.*\/(crashes|killed|edits|clearing)\./,
  /integration\/test\/conformance\//,
  // A store and its servers, where other packages test functions.
  /(integration|test-backends)\/test\//,
];

export default class LongFilesFirst extends BaseSequencer {
  async sort(files) {
    // Stable: among those that are alike it stays as vitest has it.
    return (await super.sort(files)).sort((a, b) => rankOf(a.moduleId) - rankOf(b.moduleId));
  }
}

/** 0 for what comes first. */
export function rankOf(path) {
  const rank = LONG.findIndex((pattern) => pattern.test(path));
  return rank < 0 ? LONG.length : rank;
}
