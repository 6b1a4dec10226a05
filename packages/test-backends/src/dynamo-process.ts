// DynamoDB's stand-in, in a process of its own so that it can be killed.
// @ts-expect-error The package has no types.
import dynalite from 'dynalite';

const [port, path] = process.argv.slice(2);
const server = dynalite({ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
server.listen(Number(port), '127.0.0.1', () => console.log('ready'));
