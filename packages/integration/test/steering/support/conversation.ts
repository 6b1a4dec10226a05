import {
  type AgentRun,
  type AgentStore,
  type CreateAgentOptions,
  createAgent,
  type LLMProvider,
  type RunEvent,
} from '@lousho/core';
import { countingTool, type Execute } from '../../approval/support/workshop.js';

/** A run that somebody watches, and talks to. */
export interface Watched {
  readonly run: AgentRun;
  readonly events: readonly RunEvent[];
  /** `input.queued 1`, `step.done steered`, `tool.done a`: what a test compares. */
  readonly told: readonly string[];
  /** Resolves when every event has been read. */
  readonly done: Promise<void>;
}

export function watch(run: AgentRun): Watched {
  const events: RunEvent[] = [];
  const told: string[] = [];
  const done = (async () => {
    for await (const event of run) {
      events.push(event);
      told.push(inShort(event));
    }
  })();
  return { run, events, told, done };
}

function inShort(event: RunEvent): string {
  switch (event.type) {
    case 'step.start':
      return `step.start ${event.step}`;
    case 'step.done':
      return `step.done ${event.step} ${event.finishReason}`;
    case 'tool.start':
    case 'tool.done':
    case 'tool.error':
      return `${event.type} ${event.toolCallId}`;
    case 'input.steered':
      return `input.steered ${event.mode}`;
    case 'input.applied':
      return `input.applied ${event.step}`;
    default:
      return event.type;
  }
}

export interface ConversationOptions extends Partial<Omit<CreateAgentOptions, 'tools' | 'store'>> {
  readonly provider: LLMProvider;
  readonly store?: AgentStore;
  /** What each tool does beside being counted. */
  readonly does?: Readonly<Record<string, Execute>>;
  /** Tools that a person is asked about. */
  readonly gated?: readonly string[];
}

/** An agent, and the ids of the calls that it has started. */
export function conversation({ does = {}, gated = [], ports, ...options }: ConversationOptions) {
  const effects: string[] = [];
  const tools = Object.entries(does).map(([name, execute]) =>
    countingTool({ name, effects, execute, needsApproval: gated.includes(name) }),
  );
  // What a replaced process cannot do any more is warned of; the tests look at what is stored.
  const quiet = { logger: { warn: () => undefined }, ...ports };
  return { agent: createAgent({ ...options, ports: quiet, tools }), effects };
}
