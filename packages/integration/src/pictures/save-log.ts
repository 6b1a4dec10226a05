import { type Checkpoint, createAgent } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { plainTool } from './plain-tool.js';
import { box, path, picture, text } from './svg.js';
import { watchedStore } from './watched-store.js';

/** Every save of a run that calls two tools at once, asks a person and finishes, as they came to the store. */
async function savesOfARun(): Promise<readonly Checkpoint[]> {
  const saves: Checkpoint[] = [];
  const store = watchedStore(memoryStore(), ({ method, args, answer }) => {
    if (method === 'saveIfLeased' && answer === true) saves.push(args[1] as Checkpoint);
  });
  const done = async () => 'done';
  const agent = createAgent({
    provider: mockModel([
      { toolCalls: [{ name: 'stock' }, { name: 'price' }] },
      { toolCalls: [{ name: 'charge' }] },
      'Charged.',
    ]),
    tools: [
      plainTool('stock', done),
      plainTool('price', done),
      plainTool('charge', done, { needsApproval: true }),
    ],
    store,
    toolConcurrency: 1,
  });
  const { approvalId = '' } = await agent.send('Order 7', { sessionId: 'order-7' });
  await agent.approvals.resolve({ id: approvalId, approved: true });
  return saves;
}

/** What had happened when it was saved, read off the difference to the save before. */
function reasonOf(save: Checkpoint, before: Checkpoint | undefined): string {
  if (save.status === 'finished') return 'the model answered: finished';
  if (save.status === 'awaiting-approval') return 'a call waits for a person';
  if (settled(save) > (before ? settled(before) : 0)) return `${lastTool(save)} has its result`;
  if ((save.startedToolCallIds?.length ?? 0) > (before?.startedToolCallIds?.length ?? 0)) {
    return 'the approved call starts';
  }
  if (save.stepIndex > (before?.stepIndex ?? 0)) return 'the model asked for tools';
  if (before?.status === 'awaiting-approval') return 'the person said yes';
  return 'the run begins';
}

function results({ messages, settledResults = [] }: Checkpoint) {
  return [...messages.filter(({ role }) => role === 'tool'), ...settledResults];
}

function settled(save: Checkpoint): number {
  return results(save).length;
}

function lastTool(save: Checkpoint): string {
  return results(save).at(-1)?.toolName ?? '';
}

const ROW = 34;
const TOP = 58;
const CELL = 58;
const LEFT = 250;

export async function drawSaveLog(): Promise<string> {
  const saves = await savesOfARun();
  const shapes = [
    text(16, 24, 'What a run saves', { class: 'strong' }),
    text(16, 42, 'Each line is one save. Messages that are stored already are not written again.', {
      class: 'soft',
    }),
  ];
  for (const [index, save] of saves.entries()) {
    const before = saves[index - 1];
    const y = TOP + index * ROW;
    shapes.push(text(16, y + 18, String(save.revision), { class: 'soft' }));
    shapes.push(text(40, y + 18, reasonOf(save, before)));
    const known = before?.messages.length ?? 0;
    for (const [at, { role }] of save.messages.entries()) {
      const x = LEFT + at * CELL;
      shapes.push(box({ x, y: y + 2, width: CELL - 4, height: 24 }, at < known ? 'box' : 'new'));
      shapes.push(text(x + (CELL - 4) / 2, y + 18, SHORT[role], { class: 'soft', anchor: 'middle' }));
    }
    for (const [at] of (save.settledResults ?? []).entries()) {
      const x = LEFT + (save.messages.length + at) * CELL;
      shapes.push(box({ x, y: y + 2, width: CELL - 4, height: 24 }, 'new'));
      shapes.push(text(x + (CELL - 4) / 2, y + 18, 'result', { class: 'soft', anchor: 'middle' }));
    }
  }
  const height = TOP + saves.length * ROW + 14;
  shapes.push(path(`M16 ${TOP - 6} H744`));
  const says = saves.map((save, index) => `${save.revision}: ${reasonOf(save, saves[index - 1])}`).join('; ');
  return picture({ width: 760, height, title: 'The saves of one run', says }, shapes);
}

const SHORT = { system: 'system', user: 'user', assistant: 'model', tool: 'result' } as const;
