import { once } from 'node:events';
import { connect } from 'node:net';
import type { Server } from './server.js';

const SLOTS = 16_384;
const JOIN_MS = 20_000;

/** Shares the slots among the nodes and waits until every node knows it. */
export async function joinCluster(nodes: readonly Server[]): Promise<void> {
  const [first] = nodes as [Server];
  for (const [index, node] of nodes.entries()) {
    const from = Math.floor((SLOTS * index) / nodes.length);
    const to = Math.floor((SLOTS * (index + 1)) / nodes.length) - 1;
    await ask(node, `CLUSTER ADDSLOTSRANGE ${from} ${to}`);
    await ask(node, `CLUSTER SET-CONFIG-EPOCH ${index + 1}`);
  }
  const [, busPort] = (await ask(first, 'CONFIG GET cluster-port')).match(/(\d+)\r\n$/) ?? [];
  for (const node of nodes) {
    if (node !== first) await ask(node, `CLUSTER MEET ${first.host} ${first.port} ${busPort}`);
  }
  const deadline = Date.now() + JOIN_MS;
  for (const node of nodes) {
    for (;;) {
      const info = await ask(node, 'CLUSTER INFO');
      if (info.includes('cluster_state:ok') && info.includes(`cluster_slots_ok:${SLOTS}`)) break;
      if (Date.now() > deadline) throw new Error('The Redis cluster did not form within 20 s');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** One inline command; the answer as it came. */
async function ask({ host, port }: Server, command: string): Promise<string> {
  const socket = connect(port, host);
  await once(socket, 'connect');
  socket.write(`${command}\r\nQUIT\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  if (answer.startsWith('-')) throw new Error(`${command}: ${answer.trim()}`);
  return answer.replace(/\+OK\r\n$/, '') || '+OK';
}
