/** Ends a check: its problems, one a line and exit code 1, or one line that says what holds. */
export function finish(problems, holds) {
  if (problems.length === 0) return console.log(holds);
  for (const problem of problems) console.error(problem);
  process.exitCode = 1;
}
