/**
 * A vitest reporter that ends the output with one line, `N passed, N failed`, for people and scripts that read only the last line.
 * What stopped tests from running (a file that does not load, an error outside of any test) counts as a failure, so that
 * `0 failed` means that everything ran.
 */
export default class ClosingLineReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const { passed, failed } = count(modules, unhandledErrors);
    // At exit, because other reporters write their summaries after their own `onTestRunEnd`.
    process.once('exit', () => process.stdout.write(`\n${passed} passed, ${failed} failed\n`));
  }
}

export function count(modules, unhandledErrors) {
  let passed = 0;
  let failed = unhandledErrors.length;
  for (const module of modules) {
    failed += module.errors().length;
    for (const suite of module.children.allSuites()) failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed += 1;
      if (state === 'failed') failed += 1;
    }
  }
  return { passed, failed };
}
