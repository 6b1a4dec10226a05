import type { Message } from '@lousho/core/contract';
import { describe, expect, it } from 'vitest';
import { collectedAnswer } from '../../dist/run/collected-answer.js';
import { isTaskKey, openTasks, taskCallOf, taskIdOf, taskKey, tasksOfRun } from '../../dist/run/task-key.js';
import { call, result, user } from './support.js';

const asking = (...calls: ReturnType<typeof call>[]): Message => ({
  role: 'assistant',
  content: '',
  toolCalls: calls,
});
const awaiting = (id: string, taskId: string, name = 'agent_await') => ({
  ...call(id, name),
  function: { name, arguments: JSON.stringify({ taskId }) },
});

describe('the name of a task', () => {
  const first = call('t', 'task');
  const again = call('t', 'task');
  const messages = [user('Go'), asking(first), result('t'), user('Again'), asking(call('a'), again)];

  it('is where its call stands; an id that a model used before is another call', () => {
    expect(taskIdOf(messages, again)).toBe('task-4-1');
    expect(taskIdOf(messages.slice(0, 2), first)).toBe('task-1-0');
  });

  it('is the same when results and input have joined behind the call', () => {
    expect(taskIdOf([...messages, result('a'), user('Hurry')], again)).toBe('task-4-1');
  });

  it.each([
    ['task-4-1', again],
    ['task-1-0', first],
    ['task-2-0', undefined],
    ['task-4-9', undefined],
    ['task-99-0', undefined],
    ['../task-1-0', undefined],
    ['', undefined],
  ])('%j leads to its call', (taskId, wanted) => {
    expect(taskCallOf(messages, taskId)).toBe(wanted);
  });

  it('makes a key that only sub-agents have', () => {
    expect(taskKey('s', 'task-4-1')).toBe('s.task-4-1');
    const keys = [
      's.task-4-1',
      's.task-1-0.task-2-0',
      's',
      's.task-',
      's.task-1',
      's.task-1-0.fork-1',
      'task-1-0',
    ];
    expect(keys.filter(isTaskKey)).toEqual(['s.task-4-1', 's.task-1-0.task-2-0']);
  });

  it('is found for the tasks of a run, and for those without a result', () => {
    expect(tasksOfRun({ messages, runStart: { messageIndex: 0, messageCount: 1 } })).toEqual([
      'task-1-0',
      'task-4-1',
    ]);
    expect(tasksOfRun({ messages, runStart: { messageIndex: 3, messageCount: 1 } })).toEqual(['task-4-1']);
    expect(openTasks({ messages, settledResults: [] })).toEqual(['task-4-1']);
    expect(openTasks({ messages, settledResults: [result('t')] })).toEqual([]);
  });
});

describe('what waiting for a task came to before', () => {
  const messages = [
    asking(awaiting('a1', 'task-1-0'), awaiting('a2', 'task-1-1'), awaiting('c', 'task-1-2', 'agent_cancel')),
    result('a1', '"Seen."'),
    { ...result('a2', '{"error":"Error"}'), isError: true },
    result('c', '"Stopped."'),
    user('And now?'),
    asking(awaiting('a1', 'task-1-3')),
  ];

  it.each([
    ['answered', 'task-1-0', 'Seen.'],
    ['failed', 'task-1-1', undefined],
    ['cancelled', 'task-1-2', 'Stopped.'],
    ['open, under an id that was used before', 'task-1-3', undefined],
    ['unknown', 'task-1-4', undefined],
  ])('%s', (_, taskId, wanted) => {
    expect(collectedAnswer(messages, taskId)).toBe(wanted);
  });
});
