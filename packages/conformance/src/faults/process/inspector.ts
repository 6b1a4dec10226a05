// Opens storages that another process left, one after the other, and says what it finds. Talks over IPC.
import { inspect } from './inspect.js';
import type { InspectReply, InspectRequest } from './inspection.js';

process.on('message', async (request: InspectRequest) => {
  let reply: InspectReply;
  try {
    reply = { inspection: await inspect(request) };
  } catch (error) {
    reply = { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.send?.(reply);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
