import { type AgentStore, createAgent, defineTool } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { type Collected, collected } from '../../../telemetry/test/support/collected.js';
import { deferred, settled, until } from '../executor/support/deferred.js';
import { replicas } from '../executor/support/replicas.js';
import { calls, countingTool, tool } from '../executor/support/tools.js';

const SESSION = { sessionId: 'order-7' };

/** The runs that were observed, oldest first. */
const runsOf = ({ spans }: Collected) => spans.filter(({ name }) => name.startsWith('invoke_agent'));

/** What a span links to, and why. */
function linksOf(span: ReadableSpan | undefined) {
  return span?.links.map(({ context, attributes }) => [context.spanId, attributes?.['lousho.link']]);
}

const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;

function payingAgent(store: AgentStore, into: Collected, script = [calls('pay'), 'Paid.']) {
  const pay = defineTool({ name: 'pay', description: 'Pays', needsApproval: true, execute: () => 'paid' });
  const provider = mockModel(script, { turnBy: 'transcript' });
  return createAgent({ provider, store, tools: [pay], observer: into.observer });
}

describe('the spans of a durable run', () => {
  it('show each save where it is made', async () => {
    const into = collected();
    const provider = mockModel([calls('a', 'b'), 'Done.'], { defaultModel: 'm' });
    const agent = createAgent({
      provider,
      store: memoryStore(),
      tools: [tool('a', settled), tool('b', settled)],
      observer: into.observer,
    });
    await agent.send('Go', SESSION);
    expect(into.tree()).toBe(
      [
        'invoke_agent agent',
        '  lousho.step',
        '    chat m',
        '    lousho.save',
        '    execute_tool a',
        '    execute_tool b',
        '    lousho.save',
        '    lousho.save',
        '  lousho.step',
        '    chat m',
        '  lousho.save',
      ].join('\n'),
    );
    const saves = into.spans.filter(({ name }) => name === 'lousho.save');
    expect(
      saves.map(({ attributes }) => [attributes['lousho.revision'], attributes['lousho.run.status']]),
    ).toEqual([
      [1, 'in-progress'],
      [2, 'in-progress'],
      [3, 'in-progress'],
      [4, 'finished'],
    ]);
    for (const { attributes } of into.spans) {
      expect(attributes).toMatchObject({
        'lousho.session.id': 'order-7',
        'gen_ai.conversation.id': 'order-7',
      });
    }
  });

  it('show a save of a tool’s own step below the tool’s step, and one behind the end of a step below the run', async () => {
    const into = collected();
    const stepping = tool('a', (_, context) => context.step('look', () => 1));
    const agent = createAgent({
      provider: mockModel([calls('a'), 'Done.']),
      store: memoryStore(),
      tools: [stepping],
      observer: into.observer,
    });
    await agent.send('Go', SESSION);
    const below = into
      .tree()
      .split('\n')
      .filter((line) => line.endsWith('lousho.save'));
    expect(below).toEqual(['    lousho.save', '    lousho.save', '    lousho.save', '  lousho.save']);
  });

  it('show the save of what is said to the run in the step that goes on, whoever says it', async () => {
    const into = collected();
    const gate = deferred<string>();
    const waiting = countingTool('a', () => gate.promise);
    const provider = mockModel([calls('a'), 'Done.']);
    const agent = createAgent({ provider, store: memoryStore(), tools: [waiting], observer: into.observer });
    const run = agent.stream('Go', SESSION);
    await until(() => waiting.started.length === 1);
    into.tracer.startActiveSpan('POST /more', (request) => {
      run.enqueue('And be quick');
      request.end();
    });
    await settled();
    gate.resolve('a done');
    await run.result;
    const [queued] = into.spans.slice(into.spans.indexOf(into.span('POST /more')) + 1);
    const [step] = into.spans.filter(({ name }) => name === 'lousho.step');
    expect(queued?.name).toBe('lousho.save');
    expect(queued?.parentSpanContext?.spanId).toBe(idOf(step));
  });

  it('name the session whose turn the run is, also when a decision goes on with it', async () => {
    const into = collected();
    const agent = payingAgent(memoryStore(), into);
    const session = agent.session({ id: 'chat-1' });
    const { approvalId = '' } = await session.send('Pay');
    await agent.approvals.resolve({ id: approvalId, approved: true });
    expect(
      runsOf(into).map(({ attributes }) => [
        attributes['gen_ai.conversation.id'],
        attributes['lousho.session.id'],
      ]),
    ).toEqual([
      ['chat-1', 'chat-1.turn-0'],
      ['chat-1', 'chat-1.turn-0'],
    ]);
  });
});

describe('a run that goes on', () => {
  it('links to the trace in which it was left when its process died', async () => {
    const into = collected();
    const world = replicas();
    const observer = into.observer;
    const hanging = countingTool('a', () => new Promise(() => undefined));
    const script = [calls('a'), 'Done.'];
    const first = world.start({ provider: mockModel(script), tools: [hanging], observer });
    void first.agent.send('Go', SESSION).catch(() => undefined);
    await until(() => hanging.started.length === 1);
    first.timers.stop();
    await world.clock.advance(31_000);
    const provider = mockModel(script, { turnBy: 'transcript' });
    const second = world.start({ provider, tools: [countingTool('a')], observer });
    expect(await second.agent.resume('order-7')).toMatchObject({ text: 'Done.' });

    const [cut, resumed] = runsOf(into);
    expect(cut?.ended).toBe(false);
    expect(linksOf(cut)).toEqual([]);
    expect(linksOf(resumed)).toEqual([[idOf(cut), 'interrupted']]);
    expect(resumed?.spanContext().traceId).not.toBe(cut?.spanContext().traceId);
    expect(resumed?.attributes).toMatchObject({
      'lousho.run.id': cut?.attributes['lousho.run.id'],
      'lousho.run.resumed': true,
      'lousho.run.resumes': 'interrupted',
      'lousho.lease.epoch': 2,
    });
    // The step that was cut goes on as a step of the second trace, with the call and without the model.
    const steps = into.spans.filter(({ name }) => name === 'lousho.step');
    expect(steps.map(({ attributes }) => attributes['lousho.step'])).toEqual([1, 1, 2]);
  });

  it('links to the trace in which it paused when a person has decided', async () => {
    const store = memoryStore();
    const asked = collected();
    const { approvalId = '' } = await payingAgent(store, asked).send('Pay', SESSION);
    const decided = collected();
    await payingAgent(store, decided).approvals.resolve({ id: approvalId, approved: true });
    const [paused] = runsOf(asked);
    const [resumed] = runsOf(decided);
    expect(paused?.attributes['gen_ai.response.finish_reasons']).toEqual(['awaiting-approval']);
    expect(linksOf(resumed)).toEqual([[idOf(paused), 'interrupted']]);
    expect(resumed?.attributes).toMatchObject({ 'lousho.run.resumes': 'decided' });
    expect(decided.span('execute_tool pay').attributes).toMatchObject({ 'lousho.tool.approved': true });
  });

  it('links also where nothing but the approval keeps it', async () => {
    const into = collected();
    const agent = payingAgent(memoryStore(), into);
    const { approvalId = '' } = await agent.send('Pay');
    await agent.approvals.resolve({ id: approvalId, approved: true });
    const [paused, resumed] = runsOf(into);
    expect(linksOf(resumed)).toEqual([[idOf(paused), 'interrupted']]);
  });

  it('counts what it spent under each of its spans once', async () => {
    const into = collected();
    const usage = { inputTokens: 10, outputTokens: 1 };
    const agent = payingAgent(memoryStore(), into, [
      { ...calls('pay'), usage },
      { text: 'Paid.', usage },
    ] as never);
    const { approvalId = '' } = await agent.send('Pay', SESSION);
    await agent.approvals.resolve({ id: approvalId, approved: true });
    expect(runsOf(into).map(({ attributes }) => attributes['gen_ai.usage.input_tokens'])).toEqual([10, 10]);
  });

  it('links from one to the next, and a new run of the session to none', async () => {
    const into = collected();
    const store = memoryStore();
    const provider = mockModel([
      { error: new Error('busy') },
      { error: new Error('busy') },
      'Hi.',
      'Hi again.',
    ]);
    const agent = createAgent({ provider, store, observer: into.observer });
    // A first save, so that there is something to resume.
    await agent.send('Go', SESSION).catch(() => undefined);
    await agent.resume('order-7').catch(() => undefined);
    await agent.resume('order-7');
    await agent.send('And now?', SESSION);
    const [first, second, third, fourth] = runsOf(into);
    expect(linksOf(second)).toEqual([[idOf(first), 'interrupted']]);
    expect(linksOf(third)).toEqual([[idOf(second), 'interrupted']]);
    expect(third?.attributes['lousho.run.resumes']).toBe('failed');
    expect(linksOf(fourth)).toEqual([]);
  });

  it('a fork links to the run that it is a copy of', async () => {
    const into = collected();
    const provider = mockModel([calls('a'), 'Done.'], { turnBy: 'transcript' });
    const agent = createAgent({
      provider,
      store: memoryStore(),
      tools: [tool('a')],
      observer: into.observer,
    });
    await agent.send('Go', SESSION);
    const { sessionId } = await agent.fork('order-7', { fromStep: 1 });
    await agent.resume(sessionId);
    const [source, fork] = runsOf(into);
    expect(linksOf(fork)).toEqual([[idOf(source), 'forked']]);
    expect(fork?.attributes).toMatchObject({
      'lousho.fork.session.id': 'order-7',
      'lousho.run.resumes': 'forked',
    });
    expect(await into.points('lousho.run.take_overs')).toEqual([]);
  });

  it('goes on with a link that is no traceparent as without one', async () => {
    const into = collected();
    const store = memoryStore();
    const agent = createAgent({ provider: mockModel(['Hi.']), store, observer: into.observer });
    await store.checkpoints.save('order-7', {
      sessionId: 'order-7',
      stepIndex: 0,
      messages: [{ role: 'user', content: 'Go' }],
      trace: { traceparent: 'somewhere' },
    });
    expect(await agent.resume('order-7')).toMatchObject({ text: 'Hi.' });
    expect(linksOf(runsOf(into)[0])).toEqual([]);
  });

  it('a durable sub-agent that goes on stands below its lead’s call, and links to where it was left', async () => {
    const into = collected();
    const store = memoryStore();
    const lead = () =>
      createAgent({
        name: 'lead',
        store,
        observer: into.observer,
        provider: mockModel(
          [
            { toolCalls: [{ name: 'task', args: { agent: 'payer', prompt: 'Pay', description: 'pay' } }] },
            'Done.',
          ],
          { turnBy: 'transcript' },
        ),
        subagents: [
          {
            name: 'payer',
            description: 'Pays',
            durable: true,
            agent: createAgent({
              name: 'payer',
              provider: mockModel([calls('pay'), 'Paid.'], { turnBy: 'transcript' }),
              tools: [
                defineTool({ name: 'pay', description: 'Pays', needsApproval: true, execute: () => 'paid' }),
              ],
            }),
          },
        ],
      });
    const { approvalId = '' } = await lead().send('Go', SESSION);
    await lead().approvals.resolve({ id: approvalId, approved: true });
    const [, asking, , paying] = runsOf(into);
    expect([asking, paying].map((run) => run?.name)).toEqual(['invoke_agent payer', 'invoke_agent payer']);
    expect(linksOf(paying)).toEqual([[idOf(asking), 'interrupted']]);
    const tasks = into.spans.filter(({ name }) => name === 'execute_tool task');
    expect(paying?.parentSpanContext?.spanId).toBe(idOf(tasks[1]));
    expect(tasks[0]?.attributes).toMatchObject({ 'lousho.tool.suspended': true });
    expect(paying?.attributes['gen_ai.conversation.id']).toBe('order-7');
  });
});
