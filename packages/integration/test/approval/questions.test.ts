import { memoryStore } from '@lousho/store-memory';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../support/rejections.js';
import { resultOf } from './support/results.js';
import { workshop } from './support/workshop.js';

const SESSION = { sessionId: 'trip' };

function asking(args: unknown) {
  const turns = [[{ id: 'q', tool: 'ask_question', args }], 'done'];
  return workshop({ store: memoryStore(), turns, askQuestion: true });
}

describe('a question to a person', () => {
  it('waits as an approval of kind question, with its text and options', async () => {
    const args = { question: 'Where to?', options: ['Lisbon', 'Porto'], allowFreeText: false };
    const { agent } = asking(args);
    const { approvalId } = await agent.send('Plan', SESSION);
    expect(await agent.approvals.list()).toMatchObject([
      {
        id: approvalId,
        toolName: 'ask_question',
        kind: 'question',
        question: { text: 'Where to?', options: ['Lisbon', 'Porto'], allowFreeText: false },
      },
    ]);
    expect(await agent.pending()).toMatchObject([
      { status: 'awaiting-approval', approvalId, approvalKind: 'question' },
    ]);
    await expect(agent.send('Hello?', SESSION)).rejects.toMatchObject({ approvalKind: 'question' });
  });

  it.each([
    [
      'B27 an answer is matched to an option whatever its case',
      ['Lisbon'],
      true,
      'lisbon',
      { answer: 'lisbon', option: 0 },
    ],
    ['an option has its index', ['Porto', 'Lisbon'], false, 'Lisbon', { answer: 'Lisbon', option: 1 }],
    ['other answers are accepted by default', ['Lisbon'], undefined, 'Oslo', { answer: 'Oslo' }],
    ['a question without options takes any text', undefined, undefined, 'Oslo', { answer: 'Oslo' }],
  ])('%s', async (_, options, allowFreeText, answer, wanted) => {
    const { agent } = asking({
      question: 'Where to?',
      ...(options && { options }),
      ...(allowFreeText !== undefined && { allowFreeText }),
    });
    const { approvalId = '' } = await agent.send('Plan', SESSION);
    const { messages, text } = await agent.approvals.answer({ id: approvalId, answer });
    expect(resultOf(messages, 'q')).toEqual(wanted);
    expect(text).toBe('done');
  });

  it('B27 with allowFreeText: false another answer is a tool error', async () => {
    const { agent } = asking({ question: 'Where to?', options: ['Lisbon'], allowFreeText: false });
    const { approvalId = '' } = await agent.send('Plan', SESSION);
    const { messages, finishReason } = await agent.approvals.answer({ id: approvalId, answer: 'Oslo' });
    expect(finishReason).toBe('stop');
    expect(resultOf(messages, 'q')).toMatchObject({ kind: 'execution', isError: true });
  });

  it('a declined question has a rejection as its result', async () => {
    const { agent } = asking({ question: 'Where to?' });
    const { approvalId = '' } = await agent.send('Plan', SESSION);
    const { messages } = await agent.approvals.resolve({
      id: approvalId,
      approved: false,
      note: 'none of your business',
    });
    expect(resultOf(messages, 'q')).toMatchObject({ kind: 'rejected', note: 'none of your business' });
  });

  it('a streamed answer gives the same result', async () => {
    const { agent } = asking({ question: 'Where to?', options: ['Lisbon'] });
    const { approvalId = '' } = await agent.send('Plan', SESSION);
    const run = agent.approvals.streamAnswer({ id: approvalId, answer: 'Lisbon' });
    const types: string[] = [];
    for await (const event of run) types.push(event.type);
    expect(types).toContain('tool.resume');
    expect(resultOf((await run.result).messages, 'q')).toEqual({ answer: 'Lisbon', option: 0 });
  });

  it.each([
    {},
    { question: '' },
    { question: 'Where?', options: 'Lisbon' },
    { question: 'Where?', options: [1] },
  ])('%j is not asked: the model is told', async (args) => {
    const { agent } = asking(args);
    const { finishReason, messages } = await agent.send('Plan', SESSION);
    expect(finishReason).toBe('stop');
    expect(resultOf(messages, 'q')).toMatchObject({ kind: 'validation' });
    expect(await agent.approvals.list()).toEqual([]);
  });

  it('an answer that is no text is refused, and the question stays', async () => {
    const { agent } = asking({ question: 'Where to?' });
    const { approvalId = '' } = await agent.send('Plan', SESSION);
    expect(await codeOf(agent.approvals.answer({ id: approvalId, answer: 5 as unknown as string }))).toBe(
      'LOUSHO_CONFIG_INVALID',
    );
    expect(await agent.approvals.list()).toHaveLength(1);
  });
});
