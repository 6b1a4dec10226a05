// An agent that outlives its process: run `node examples/quick-start.js`, press Ctrl-C while it ships, and run it again. It ships
// once more, because that call was cut off, and does not charge again. A script stands in for the model, so it needs no key.
import { setTimeout } from 'node:timers/promises';
import { createAgent, defineTool } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { fileStore } from '@lousho/store-file';

const charge = defineTool({ name: 'charge', description: 'Charges it.', execute: () => 'charged' });
const ship = defineTool({ name: 'ship', description: 'Ships it.', execute: () => setTimeout(2_000) });
const provider = mockModel([['charge'], ['ship'], 'Charged and shipped.'], { turnBy: 'transcript' });
const agent = createAgent({ provider, tools: [charge, ship], store: fileStore('./.lousho') });
const run = agent.stream('Charge and ship order 7', { sessionId: 'order-7', ifAbsent: true });
for await (const event of run) if (event.type === 'tool.start') console.log(`${event.toolName} ...`);
console.log((await run.result).text);
