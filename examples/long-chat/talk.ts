// One process of a long conversation: `talk.js <messages> [stuck]`.
import { openChat } from './chat.js';

const [until = '0', stuck] = process.argv.slice(2);
const { store, session } = openChat({ isStuck: stuck === 'stuck' });

const finished = await session.resume();
if (finished) console.log(`finished the turn that was cut off: ${finished.text}`);
const said = (await session.messages()).filter(({ role }) => role === 'user').length;
for (let number = said + 1; number <= Number(until); number++)
  await session.send(`This is message ${number}`);
await store.close();
