// Takes the order. It never gets to the end: main.js kills it while it ships.
import { openBooking } from './booking-agent.js';

const { agent } = openBooking({ folder: process.argv[2], hangInShipping: true });
await agent.send('Book order 7: charge 240 EUR, ship it, send the receipt.', { sessionId: 'order-7' });
