import { approval, checkpoint, decision, messages, user } from '@lousho/conformance';
import type { AgentStore, BundledStore } from '@lousho/core';

/** What a store can keep: runs in each status, histories without a run, decisions, transcripts. */
export async function furnish(store: BundledStore): Promise<void> {
  const { approvals, checkpoints, sessions } = store;
  await grow(store, 'finished', 'abcde', 'finished');
  await grow(store, 'running', 'abc', 'in-progress');
  for (const id of ['lead', 'lead.task-1-0', 'lead.task-1-0.task-3-1'])
    await grow(store, id, 'ab', 'in-progress');
  await grow(store, 'chat.turn-0', 'ab', 'finished');
  await checkpoints.delete('chat.turn-0', { keepHistory: true });
  await grow(store, 'begun-anew', 'abcd', 'finished');
  await checkpoints.delete('begun-anew', { keepHistory: true });
  await grow(store, 'begun-anew', 'xy', 'in-progress');
  await checkpoints.save(
    'plain',
    checkpoint({ sessionId: 'plain', businessState: { bytes: new Uint8Array([1, 2]) } }),
  );

  const call = { approvalId: 'asked', toolCallId: 'call_1', pinnedArgs: '{}' };
  await checkpoints.save(
    'paused',
    checkpoint({
      sessionId: 'paused',
      revision: 1,
      status: 'awaiting-approval',
      approvalId: 'asked',
      approvalIds: ['asked', 'answered'],
      pausedCalls: [call, { ...call, approvalId: 'answered', toolCallId: 'call_2' }],
    }),
  );
  await approvals.save(approval({ id: 'asked', sessionId: 'paused' }), { sessionId: 'paused' });
  await approvals.save(approval({ id: 'answered', sessionId: 'paused' }), {});
  await approvals.decide('answered', decision({ id: 'answered', note: 'fine', by: { name: 'Ana' } }));
  await approvals.save(approval({ id: 'without-run' }), { currentMessages: messages('ab') });
  await approvals.save(approval({ id: 'decided-long-ago' }), {});
  await approvals.decide('decided-long-ago', decision({ id: 'decided-long-ago', approved: false }));

  await sessions.saveIf('chat', 0, messages('ab'));
  await sessions.saveIf('chat', 1, messages('abcd'));
  await sessions.saveIf('empty', 0, []);
}

async function grow(
  { checkpoints }: BundledStore,
  sessionId: string,
  letters: string,
  status: 'finished' | 'in-progress',
): Promise<void> {
  for (let count = 1; count <= letters.length; count++) {
    const isLast = count === letters.length;
    await checkpoints.save(
      sessionId,
      checkpoint({
        sessionId,
        revision: count,
        stepIndex: count,
        status: isLast ? status : 'in-progress',
        messages: [...messages(letters.slice(0, count)), user('x'.repeat(50 * count))],
      }),
    );
  }
}

/** All that a store keeps, apart from the instants of the saves, the revisions of transcripts and the marks of copies. */
export async function contentsOf(store: AgentStore): Promise<Record<string, unknown>> {
  const contents: Record<string, unknown> = {};
  const { checkpoints, approvals, sessions } = store;
  for (const id of (await checkpoints?.ids?.()) ?? []) {
    const latest = await checkpoints?.load(id);
    const history = ((await checkpoints?.history?.(id)) ?? []).map((entry) => entry.checkpoint);
    // A mark, and the save behind it that took it away.
    const reopened = history.findIndex(({ movedAt }) => movedAt !== undefined) - 1;
    const own = history.filter(({ movedAt }, at) => movedAt === undefined && at !== reopened);
    if (own.length > 0 || (latest && !latest.movedAt))
      contents[`checkpoint ${id}`] = { latest, history: own };
  }
  for (const id of (await approvals?.ids?.()) ?? []) contents[`approval ${id}`] = await approvals?.load(id);
  for (const id of (await sessions?.ids?.()) ?? []) {
    contents[`session ${id}`] = (await sessions?.load(id))?.messages;
  }
  return contents;
}
