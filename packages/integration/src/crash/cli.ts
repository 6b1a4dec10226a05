import { killChildren } from './child.js';
import { crashArguments, crashUsage } from './crash-arguments.js';
import { terminalProgress } from './progress.js';
import { runCrashPlan } from './run-crash-plan.js';

const given = crashArguments(process.argv.slice(2));
process.on('exit', killChildren);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

switch (given.kind) {
  case 'help':
    console.log(crashUsage());
    break;
  case 'refused':
    console.error(`${given.message}\n\n${crashUsage()}`);
    process.exitCode = 2;
    break;
  case 'run': {
    const isKept = await runCrashPlan(given.plan, terminalProgress(process.stderr), console.log);
    console.log(isKept ? 'Everything as promised.' : 'Not as promised: see the lines with ✗.');
    process.exitCode = isKept ? 0 : 1;
    break;
  }
  default:
    given satisfies never;
}
