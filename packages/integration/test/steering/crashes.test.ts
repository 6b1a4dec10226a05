import type { Message } from '@lousho/core';
import { transcriptFaults } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { roles } from '../approval/support/results.js';
import { onFullStores } from '../harness/on-stores.js';
import { moreThanOn, strideOn } from '../harness/stride.js';
import { explore, type Life } from '../session/support/explore.js';
import { type Notes, newNotes, play, SAID, SESSION_ID, type Talk } from './support/play.js';

const TALKS: Readonly<Record<string, Talk>> = {
  'input queued during a tool': {
    by: 'enqueue',
    during: 'first tool',
    turns: [['a', 'b']],
    shapes: ['user assistant(a,b) tool(a) tool(b) user assistant'],
  },
  'input queued during the last reply': {
    by: 'enqueue',
    during: 'model call',
    turns: [['a']],
    atTurn: 1,
    // Where the reply was lost with its process, the model answers both at once.
    shapes: [
      'user assistant(a) tool(a) assistant user assistant',
      'user assistant(a) tool(a) user assistant',
    ],
  },
  'a steered model call': {
    by: 'steer',
    during: 'model call',
    turns: [['a']],
    atTurn: 1,
    shapes: ['user assistant(a) tool(a) user assistant'],
    dropped: 1,
  },
  'a steered first model call': {
    by: 'steer',
    during: 'model call',
    turns: ['Coffee.'],
    shapes: ['user user assistant'],
    dropped: 1,
  },
  'a steered turn of tools': {
    by: 'steer',
    during: 'first tool',
    turns: [['a', 'b', 'c']],
    toolConcurrency: 1,
    shapes: ['user assistant(a,b,c) tool(a) tool(b) tool(c) user assistant'],
  },
  'a steer before an answer was recorded': {
    by: 'steer',
    during: 'look at an answer',
    turns: [['a', 'b']],
    shapes: ['user assistant(a,b) tool(a) tool(b) user assistant', 'user user assistant'],
  },
};

describe('a process that dies at any operation of', () => {
  onFullStores((newStorage, kind) => {
    it.each(Object.entries(TALKS))(
      '%s: nothing is lost, doubled, repeated or miscounted',
      async (_, talk) => {
        const { explored, problems } = await exploreTalk(talk, newStorage, { every: strideOn(kind, 5) });
        expect(problems).toEqual([]);
        expect(explored).toBeGreaterThan(moreThanOn(kind, 15, 3));
      },
    );

    it.each(Object.entries(TALKS))('%s, and the one that recovers as well: the same', async (_, talk) => {
      const every = strideOn(kind, 11);
      const { problems } = await exploreTalk(talk, newStorage, { every, isTwice: true });
      expect(problems).toEqual([]);
    });
  });
});

async function exploreTalk(
  talk: Talk,
  newStorage: Parameters<Parameters<typeof onFullStores>[0]>[0],
  { every, isTwice = false }: { readonly every: number; readonly isTwice?: boolean },
) {
  let notes: Notes = newNotes();
  let storage = newStorage();
  return explore({
    newStorage: () => {
      notes = newNotes();
      storage = newStorage();
      return storage;
    },
    play: (world, seen) => play(talk, world, { seen, inner: storage.open() }, notes),
    check: (life) => check(talk, life, notes),
    every,
    ...(isTwice && {
      second: ({ n, side }) => ({ n: 1 + ((n * 5) % 11), side: side === 'after' ? 'before' : 'after' }),
    }),
  });
}

async function check(talk: Talk, { store, ledger, crashes }: Life, notes: Notes): Promise<string[]> {
  const problems = [...notes.problems];
  const stored = await store.checkpoints.load(SESSION_ID);
  const messages = stored?.messages ?? [];
  if (stored?.status !== 'finished') problems.push(`the run is ${stored?.status}`);
  problems.push(...transcriptFaults(messages));
  if (!talk.shapes.includes(roles(messages))) problems.push(`the transcript is ${roles(messages)}`);
  const times = messages.filter(({ content }) => content === SAID).length;
  if (times !== 1) problems.push(`the input stands ${times} times in the transcript`);
  if (ledger.repeatedModelCalls > 0) problems.push('a recorded model turn was asked for again');
  if (ledger.repeatedTools > 0) problems.push('a recorded result was computed again');
  for (const { checkpoint } of await store.checkpoints.history(SESSION_ID))
    if (JSON.stringify(checkpoint).includes('DISCARDED'))
      problems.push(`revision ${checkpoint.revision} has what the model said behind a steer`);

  // What is paid for and what is recorded are the same, but for answers that died with their process.
  const { dropped = 0 } = talk;
  const answers = messages.filter(({ role }) => role === 'assistant');
  const wanted = { modelCalls: answers.length + dropped, ...tokensOf(answers) };
  const { modelCalls, inputTokens, outputTokens } = stored?.usage ?? {};
  if (JSON.stringify({ modelCalls, inputTokens, outputTokens }) !== JSON.stringify(wanted))
    problems.push(`the usage is ${JSON.stringify(stored?.usage)}, wanted ${JSON.stringify(wanted)}`);
  if (stored?.stepIndex !== answers.length + dropped) problems.push(`${stored?.stepIndex} steps`);
  if (crashes === 0) {
    const { input, output } = notes.served;
    if (input !== inputTokens || output !== outputTokens)
      problems.push(`the model has served ${input}/${output} tokens`);
  }
  if (talk.by === 'steer' && notes.effects.some((id) => id !== 'a'))
    problems.push(`a call ran that the steer was to keep from starting: ${notes.effects}`);
  return problems;
}

function tokensOf(answers: readonly Message[]) {
  const sum = (field: 'inputTokens' | 'outputTokens') =>
    answers.reduce((total, { usage }) => total + (usage?.[field] ?? 0), 0);
  return { inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') };
}
