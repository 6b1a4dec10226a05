import { type Message, SDKError, type SessionStore } from '../../contract/index.js';
import { withoutSystem } from '../../run/input.js';
import { isTaskId } from '../../run/task-key.js';
import type { LeadRun } from './delegates.js';

/**
 * What was said in tasks that are over, so that a later one can go on from there: in the given store, or else as long as the lead's run
 * goes on in this process.
 */
export class Conversations {
  readonly #here = new Map<string, readonly Message[]>();

  constructor(readonly sessions: SessionStore | undefined) {}

  /** Rejects with `LOUSHO_SUBAGENT_TASK_NOT_FOUND`. */
  async load(lead: LeadRun, taskId: string): Promise<readonly Message[]> {
    const found = this.#here.get(taskId) ?? (await this.#stored(lead, taskId));
    if (found) return found;
    throw new SDKError('LOUSHO_SUBAGENT_TASK_NOT_FOUND', `there is no task ${taskId} to go on from`);
  }

  async #stored(lead: LeadRun, taskId: string): Promise<readonly Message[] | undefined> {
    // The model may have made up any text.
    if (!this.sessions || !isTaskId(taskId)) return undefined;
    return (await this.sessions.load(keyOf(lead, taskId)))?.messages;
  }

  async keep(lead: LeadRun, taskId: string, messages: readonly Message[]): Promise<void> {
    const said = withoutSystem(messages);
    this.#here.set(taskId, said);
    if (!this.sessions) return;
    const key = keyOf(lead, taskId);
    const stored = await this.sessions.load(key);
    // Nobody but the holder of the lead's lease writes here; one that lost it is stopped before it can answer.
    await this.sessions.saveIf(key, stored?.revision ?? 0, said);
  }
}

function keyOf({ recorder }: LeadRun, taskId: string): string {
  const { sessionId, runId } = recorder.state;
  return `${sessionId ?? runId}.${taskId}`;
}
