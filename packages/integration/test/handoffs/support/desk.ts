import {
  type Agent,
  type AgentHandoff,
  type AgentStore,
  type CreateAgentOptions,
  createAgent,
} from '@lousho/core';
import {
  countingTool,
  type ScriptedModel,
  scriptedModel,
  type Turn,
} from '../../approval/support/workshop.js';

export const TRANSFER: Turn = [{ id: 'h', tool: 'transfer_to_billing', args: { reason: 'a bill' } }];

export interface Desk {
  /** Sorts what comes in; the lead. Has the tools `a` and `gated`. */
  readonly triage: Agent;
  /** Has the tools `b` and `refund`, which needs approval. */
  readonly billing: Agent;
  readonly asked: { readonly triage: ScriptedModel; readonly billing: ScriptedModel };
  /** Who was asked, in order. */
  readonly order: string[];
  /** The call ids of the tools that ran, in order. */
  readonly effects: string[];
}

export interface DeskOptions extends Omit<Partial<CreateAgentOptions>, 'provider' | 'store' | 'handoffs'> {
  readonly store?: AgentStore;
  readonly turns: readonly Turn[];
  readonly billing?: Partial<CreateAgentOptions>;
  /** Of the transfer to billing. */
  readonly transfer?: Omit<AgentHandoff, 'agent'>;
}

/** Two agents as a process makes them when it starts. One script for both: who is asked next says what stands there. */
export function desk({ store, turns, billing: changed = {}, transfer = {}, ...options }: DeskOptions): Desk {
  const effects: string[] = [];
  const order: string[] = [];
  const asked = { triage: scriptedModel(turns), billing: scriptedModel(turns) };
  const provider = (who: keyof typeof asked): ScriptedModel => ({
    ...asked[who],
    generate: async (request) => {
      order.push(who);
      return asked[who].generate(request);
    },
  });
  const tool = (name: string, needsApproval = false) => countingTool({ name, effects, needsApproval });
  const ports = { logger: { warn: () => undefined } };
  const billing: Agent = createAgent({
    name: 'billing',
    id: 'agent-b',
    provider: provider('billing'),
    model: 'model-b',
    instructions: 'You know bills.',
    tools: [tool('b'), tool('refund', true)],
    // The way back.
    handoffs: () => [triage],
    ...changed,
  });
  const triage: Agent = createAgent({
    name: 'triage',
    id: 'agent-t',
    provider: provider('triage'),
    model: 'model-t',
    instructions: 'You sort.',
    tools: [tool('a'), tool('gated', true)],
    ports,
    ...options,
    ...(store && { store }),
    handoffs: [{ agent: billing, ...transfer }],
  });
  return { triage, billing, asked, order, effects };
}

/** What an agent was told, one line a request. */
export function told({ requests }: ScriptedModel) {
  return requests.map(({ model, messages, tools }) => ({
    model,
    system: messages[0]?.role === 'system' ? messages[0].content : undefined,
    tools: tools.map(({ name }) => name),
  }));
}

export const AS_TRIAGE = {
  model: 'model-t',
  system: 'You sort.',
  tools: ['a', 'gated', 'transfer_to_billing'],
};
export const AS_BILLING = {
  model: 'model-b',
  system: 'You know bills.',
  tools: ['b', 'refund', 'transfer_to_triage'],
};
