// `npm run conformance [-- COMMAND ...]`: our stores, held to every promise. Without a command: the matrix.
import { COMMANDS } from './commands/index.js';

const [first, ...rest] = process.argv.slice(2);
const isNamed = first !== undefined && !first.startsWith('-');
const load = COMMANDS[isNamed ? first : 'matrix'];
if (load) {
  const command = await load();
  process.exitCode = await command.run(isNamed ? rest : process.argv.slice(2));
} else {
  console.error(`Expected a command of ${Object.keys(COMMANDS).join(', ')}, got ${first}`);
  process.exitCode = 2;
}
// A rule that did not settle leaves calls that never come back.
process.exit();
