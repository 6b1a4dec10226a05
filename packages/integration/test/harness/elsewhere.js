// A client of a storage in a process of its own: makes the calls that it is sent and sends the answers back.
import { join } from 'node:path';
import { fileStore } from '@lousho/store-file';
import { SqliteStore } from '@lousho/store-sqlite';

const [kind, dir] = process.argv.slice(2);
const store = kind === 'file' ? fileStore(dir) : new SqliteStore(join(dir, 'runs.db'));

process.on('message', async ({ call, part, method, args }) => {
  try {
    process.send({ call, answer: await store[part][method](...args) });
  } catch (error) {
    process.send({ call, code: error.code ?? String(error) });
  }
});
process.on('disconnect', () => process.exit());
process.send('ready');
