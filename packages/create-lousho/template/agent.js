import { setTimeout } from 'node:timers/promises';
import { createAgent, defineTool } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { fileStore } from '@lousho/store-file';

const charge = defineTool({ name: 'charge', description: 'Charges it.', execute: () => 'charged' });
const ship = defineTool({ name: 'ship', description: 'Ships it.', execute: () => setTimeout(3_000) });
// In place of a model, so that this needs no key.
const provider = mockModel([['charge'], ['ship'], 'Done.'], { turnBy: 'transcript' });
const agent = createAgent({ provider, tools: [charge, ship], store: fileStore('./.lousho') });
const run = agent.stream('Charge and ship', { sessionId: process.argv[2] ?? 'order-7' });
for await (const event of run) if (event.type === 'tool.start') console.log(event.toolName);
console.log((await run.result).text);
