import { approval, decision, messages } from '../../world/builders.js';
import type { Flow } from './flow.js';
import { bystander } from './run-flows.js';

const CONVERSATION = 'conversation-1';

export const partsFlow: Flow = {
  name: 'F7',
  says: 'transcripts and approvals by themselves: commits, a question, its answer, deletes',
  needs: ['approvals.decide', 'approvals.delete', 'sessions.saveIf', 'sessions.delete'],
  prepare: async (actor) => {
    await bystander(actor);
    await actor.sessions.saveIf('conversation-0', 0, messages('xyz'));
    await actor.approvals.save(approval({ id: 'approval-0' }), {});
  },
  run: async ({ approvals, sessions }) => {
    for (const text of ['a', 'ab']) {
      const revision = (await sessions.load(CONVERSATION))?.revision ?? 0;
      const isCommitted = await sessions.saveIf(CONVERSATION, revision, messages(text));
      if (!isCommitted) throw new Error(`revision ${revision} was not the stored one`);
    }
    await approvals.save(approval(), { sessionId: CONVERSATION });
    await approvals.decide('approval-1', decision());
    await approvals.delete('approval-0');
    await sessions.delete('conversation-0');
  },
};
