import { type Checkpoint, SDKError, type ToolCall } from '../../contract/index.js';
import { argsOf } from '../../run/call-args.js';
import { hasEnded } from '../../run/ended.js';
import { openTasks, taskCallOf, taskKey, tasksOfRun } from '../../run/task-key.js';
import { openCalls } from '../../run/transcript.js';
import type { ActingAgent } from '../acting-agent.js';
import { castOfStored } from '../cast.js';
import { driftEvents } from '../drift-events.js';
import type { RunEventBody } from '../events.js';
import { ToolRegistry } from '../tool-registry.js';
import type { CheckScope } from './delegates.js';
import type { Subagent } from './subagent.js';

/** The sub-agents whose runs a stored run goes on with, and what has changed of them since: see `Delegates.check`. */
export async function checkSubagents(
  subagents: ReadonlyMap<string, Subagent>,
  scope: CheckScope,
  lead: Checkpoint,
): Promise<readonly RunEventBody[]> {
  const events: RunEventBody[] = [];
  for (const [taskId, stored] of await storedTasks(subagents, scope, lead)) {
    const agentName = stored.delegatedBy?.agentName ?? '';
    const path = [...scope.path, agentName];
    const subagent = subagents.get(agentName);
    if (!subagent) throw gone(lead, `sub-agent ${agentName}`, path);
    const acting = await actingAs(subagent, stored);
    assertTools(lead, acting, stored, path);
    const current = await acting.fingerprint;
    const name = `session ${lead.sessionId}: sub-agent ${path.join(' > ')}`;
    const compared = { stored: stored.agentFingerprint, current };
    events.push(...driftEvents({ ...scope, name, subagent: { path, taskId } }, compared));
    events.push(...((await subagent.delegates?.check({ ...scope, path }, stored)) ?? []));
  }
  return events;
}

/** Those that are kept with the lead, and the records of durable ones that nobody has the answer of. */
async function storedTasks(
  subagents: ReadonlyMap<string, Subagent>,
  { store }: CheckScope,
  lead: Checkpoint,
): Promise<readonly (readonly [taskId: string, stored: Checkpoint])[]> {
  const found = new Map(Object.entries(lead.subagents ?? {}));
  const { sessionId, messages, settledResults = [], runStart = { messageIndex: 0, messageCount: 0 } } = lead;
  const open = openTasks({ messages, settledResults });
  for (const taskId of tasksOfRun({ messages, runStart })) {
    const { agent, background } = argsOf(taskCallOf(messages, taskId) as ToolCall);
    const mayBeStored =
      subagents.get(String(agent))?.durable && (open.includes(taskId) || background === true);
    if (!mayBeStored || !store || found.has(taskId)) continue;
    const stored = await store.load(taskKey(sessionId, taskId));
    if (stored && stored.delegatedBy?.runId === lead.runId && !hasEnded(stored)) found.set(taskId, stored);
  }
  return [...found];
}

/** The sub-agent as it would go on with the run. */
async function actingAs({ agent, provider, delegates }: Subagent, stored: Checkpoint): Promise<ActingAgent> {
  const tools = new ToolRegistry(typeof agent.tools === 'function' ? [] : agent.tools);
  tools.registerMany(delegates?.tools ?? []);
  const plan = { agent, provider, tools: tools.getAll(), inputAs: 'text' as const, maxHandoffs: 0 };
  return (await castOfStored({ plan }, stored)).current;
}

function assertTools(
  lead: Checkpoint,
  acting: ActingAgent,
  stored: Checkpoint,
  path: readonly string[],
): void {
  for (const call of openCalls(stored.messages, stored.settledResults ?? [])) {
    if (!acting.tools.has(call.function.name)) throw gone(lead, `tool ${call.function.name}`, path);
  }
}

function gone(lead: Checkpoint, what: string, path: readonly string[]): SDKError {
  return new SDKError(
    'LOUSHO_RESUME_TOOL_MISSING',
    `session ${lead.sessionId}: a task of ${path.join(' > ')} is pending on ${what}, which is not there any more`,
  );
}
