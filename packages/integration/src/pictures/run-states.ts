import assert from 'node:assert/strict';
import { type Agent, type BundledStore, createAgent, PropagatingToolError } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import { plainTool } from './plain-tool.js';
import { box, path, picture, text } from './svg.js';

type State = 'nothing' | 'in-progress' | 'awaiting-approval' | 'finished';

interface Life {
  readonly agent: Agent;
  readonly store: BundledStore;
  approvalId: string;
}

interface Step {
  readonly says: string;
  readonly to: State;
  perform(life: Life): Promise<unknown>;
}

/** One run that goes along every arrow of the picture. Each step is made with a real agent before it is drawn. */
const STEPS: readonly Step[] = [
  {
    says: 'send(): the process dies in a tool',
    to: 'in-progress',
    perform: ({ agent }) => assert.rejects(agent.send('Order 7', { sessionId: 'order-7' })),
  },
  {
    says: 'resume(): a call needs a person',
    to: 'awaiting-approval',
    perform: async (life) => {
      const paused = await life.agent.resume('order-7');
      life.approvalId = paused?.approvalId ?? '';
    },
  },
  {
    says: 'resolve(): the process dies in the next tool',
    to: 'in-progress',
    perform: ({ agent, approvalId }) =>
      assert.rejects(agent.approvals.resolve({ id: approvalId, approved: true })),
  },
  {
    says: 'resume(): the model answers without calls',
    to: 'finished',
    perform: ({ agent }) => agent.resume('order-7'),
  },
  {
    says: 'send(): the next run of the session',
    to: 'in-progress',
    perform: ({ agent }) => assert.rejects(agent.send('Again', { sessionId: 'order-7' })),
  },
  { says: 'delete()', to: 'nothing', perform: ({ store }) => store.checkpoints.delete('order-7') },
];

async function performAll(): Promise<void> {
  const store = memoryStore();
  const deaths = new Set(['stock', 'ship', 'again']);
  const mortal = (name: string) => async () => {
    if (deaths.delete(name)) throw new PropagatingToolError('the process died');
    return 'done';
  };
  const provider = mockModel([
    { toolCalls: [{ name: 'stock' }] },
    { toolCalls: [{ name: 'charge' }] },
    { toolCalls: [{ name: 'ship' }] },
    'Done.',
    { toolCalls: [{ name: 'again' }] },
  ]);
  const tools = [
    ...['stock', 'ship', 'again'].map((name) => plainTool(name, mortal(name))),
    plainTool('charge', mortal('charge'), { needsApproval: true }),
  ];
  const life: Life = { agent: createAgent({ provider, tools, store }), store, approvalId: '' };
  for (const step of STEPS) {
    await step.perform(life);
    const stored = await store.checkpoints.load('order-7');
    assert.equal(stored?.status ?? 'nothing', step.to, step.says);
  }
}

const WIDTH = 150;
const HEIGHT = 40;
const AT: Readonly<Record<State, readonly [x: number, y: number]>> = {
  nothing: [24, 130],
  'in-progress': [300, 130],
  'awaiting-approval': [300, 270],
  finished: [580, 130],
};

export async function drawRunStates(): Promise<string> {
  await performAll();
  const shapes = [
    text(24, 24, 'The states of a run', { class: 'strong' }),
    text(24, 42, 'Whatever dies on the way: the run is where its last save left it.', { class: 'soft' }),
    ...Object.entries(AT).flatMap(([name, [x, y]]) => [
      box({ x, y, width: WIDTH, height: HEIGHT }, name === 'finished' ? 'new' : 'box'),
      text(x + WIDTH / 2, y + 25, name, { class: 'strong', anchor: 'middle' }),
    ]),
    path('M174 142 H296', 'arrow'),
    text(235, 134, 'send()', { class: 'soft', anchor: 'middle' }),
    path('M296 160 H178', 'arrow'),
    text(235, 176, 'delete()', { class: 'soft', anchor: 'middle' }),
    path('M450 142 H576', 'arrow'),
    text(513, 134, 'a last answer', { class: 'soft', anchor: 'middle' }),
    path('M576 160 H454', 'arrow'),
    text(513, 176, 'send()', { class: 'soft', anchor: 'middle' }),
    path('M350 170 V266', 'arrow'),
    text(342, 222, 'a call needs a person', { class: 'soft', anchor: 'end' }),
    path('M400 266 V174', 'arrow'),
    text(408, 222, 'the last decision', { class: 'soft' }),
    path('M340 130 C330 80 420 80 410 126', 'arrow'),
    text(375, 82, 'a step, an error, a crash and a resume()', { class: 'soft', anchor: 'middle' }),
  ];
  const says = STEPS.map(({ says: step, to }) => `${step}: ${to}`).join('; ');
  return picture({ width: 760, height: 330, title: 'The states of a run', says }, shapes);
}
