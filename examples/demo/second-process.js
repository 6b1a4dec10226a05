// Starts after the crash, as a restarted service does: asks what is pending, and finishes it.
import { openBooking, say } from './booking-agent.js';

const { agent, store } = openBooking({ folder: process.argv[2], hangInShipping: false });
for (const run of await agent.pending()) {
  say(`pending() lists ${run.sessionId}: ${run.status}, step ${run.step}`);
  const result = await agent.resume(run.sessionId);
  say(`${run.sessionId} has finished: "${result?.text}"`);
}
await store.close();
