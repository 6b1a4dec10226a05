// Runs the examples one after another, each as a process of its own in an empty folder, and prints what they came to. Names as arguments
// run only those; `--list` prints the names. Ends with 1 when one has failed.
import { EXAMPLES, type Example } from './examples.js';
import { type Outcome, runExample } from './run-example.js';
import { Servers } from './servers.js';

// So that what was started ends, too.
process.once('SIGINT', () => process.exit(130));

const names = process.argv.slice(2);
if (names.includes('--list')) for (const { name } of EXAMPLES) console.log(name);
else process.exitCode = await run(names.length > 0 ? names.map(exampleOf) : EXAMPLES);

function exampleOf(name: string): Example {
  const example = EXAMPLES.find((candidate) => candidate.name === name);
  if (example) return example;
  console.error(`There is no example ${name}: ${EXAMPLES.map((known) => known.name).join(', ')}`);
  process.exit(2);
}

async function run(examples: readonly Example[]): Promise<number> {
  const servers = new Servers();
  const outcomes: Outcome[] = [];
  try {
    for (const example of examples) {
      console.log(example.name);
      outcomes.push(await runExample(example, servers));
    }
  } finally {
    await servers.close();
  }
  console.log(`\n${table(outcomes)}`);
  return outcomes.every(({ isOk }) => isOk) ? 0 : 1;
}

function table(outcomes: readonly Outcome[]): string {
  const width = Math.max(...outcomes.map(({ name }) => name.length));
  return outcomes
    .map(({ name, isOk, seconds, result }) => {
      const time = `${seconds.toFixed(1)} s`.padStart(7);
      return `${isOk ? 'ok    ' : 'FAILED'}  ${name.padEnd(width)}  ${time}  ${result}`;
    })
    .join('\n');
}
