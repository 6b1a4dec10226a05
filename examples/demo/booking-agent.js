// The agent of the demo: a scripted model and three tools that act on the world. The world is a ledger file that the store never sees.
import { appendFileSync } from 'node:fs';
import { createAgent, defineTool } from '@lousho/core';
import { SqliteStore } from '@lousho/store-sqlite';
import { z } from 'zod';

/** What the model asks for, turn by turn. Which turn is due follows from the transcript, as with a real model. */
const script = [
  { toolCalls: [call('call_1', 'charge_card', { order: 7, amount: 240 })] },
  { toolCalls: [call('call_2', 'ship_order', { order: 7 })] },
  { toolCalls: [call('call_3', 'send_receipt', { order: 7 })] },
  { text: 'Order 7 is paid, shipped and confirmed.' },
];

const model = {
  name: 'scripted',
  generate: async ({ messages }) => {
    const turn = script[messages.filter((message) => message.role === 'assistant').length];
    say(`the model asks for ${turn.toolCalls ? turn.toolCalls[0].function.name : 'nothing more'}`);
    return turn;
  },
};

/** @param {{ folder: string, hangInShipping: boolean }} options */
export function openBooking({ folder, hangInShipping }) {
  const store = new SqliteStore(`${folder}/bookings.db`);
  const record = (effect) => appendFileSync(`${folder}/ledger.txt`, `${effect} by process ${process.pid}\n`);

  const tools = [
    defineTool({
      name: 'charge_card',
      description: 'Charge the card of an order',
      input: z.object({ order: z.number(), amount: z.number() }),
      execute: ({ order, amount }) => {
        record(`charged ${amount} EUR for order ${order}`);
        say(`charge_card charges ${amount} EUR`);
        return { charged: amount };
      },
    }),
    defineTool({
      name: 'ship_order',
      description: 'Hand an order to the carrier',
      input: z.object({ order: z.number() }),
      execute: async ({ order }) => {
        say('ship_order calls the carrier ...');
        if (hangInShipping) await new Promise((resolve) => setTimeout(resolve, 60_000));
        record(`shipped order ${order}`);
        say('ship_order has a parcel number');
        return { parcel: 'P-1007' };
      },
    }),
    defineTool({
      name: 'send_receipt',
      description: 'Send the receipt',
      input: z.object({ order: z.number() }),
      execute: ({ order }) => {
        record(`sent the receipt of order ${order}`);
        say('send_receipt sends it');
        return { sent: true };
      },
    }),
  ];
  return { store, agent: createAgent({ name: 'booking', provider: model, tools, store }) };
}

export function say(line) {
  console.log(`  process ${process.pid}  ${line}`);
}

function call(id, name, args) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}
