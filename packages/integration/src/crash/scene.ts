import { join } from 'node:path';
import {
  type Agent,
  type AgentStore,
  type BundledStore,
  createAgent,
  defineTool,
  type LeaseTiming,
  type LLMProvider,
  type RunPorts,
  type Tool,
  type ToolContext,
} from '@lousho/core';
import type { CrashWorld } from '@lousho/core/testing';
import { ANY_OBJECT } from '../any-object.js';
import { type ChosenStorage, capabilitiesOf, newStorage, openStorage } from '../stores/chosen-storage.js';
import type { StoreName } from '../stores/store-names.js';
import { provesDeath, SHORT_LEASE } from '../stores/until-free.js';
import { hostNow } from './host-time.js';
import { appendEffect, type Effect, readEffects } from './ledger.js';

/** What the processes of one test share: a storage and, beside it, the ledger. Travels to a child as JSON. */
export interface Scene {
  readonly test: string;
  readonly round: number;
  readonly storage: ChosenStorage;
  /** Of the ledger. */
  readonly folder: string;
  readonly lease?: Required<LeaseTiming>;
  readonly graceMs?: number;
}

/** A scene with a storage of its own. */
export async function newScene({
  store,
  ...parts
}: Omit<Scene, 'storage'> & { readonly store: StoreName }): Promise<Scene> {
  return { ...parts, storage: await newStorage(store, join(parts.folder, 'store')) };
}

/** The scene for a test in which a process dies: where nobody proves that to the store, the leases are short, and waited for. */
export async function withDeaths(scene: Scene): Promise<Scene> {
  return (await learnsOfDeaths(scene)) ? scene : { ...scene, lease: SHORT_LEASE };
}

/** Whether the lease of a process that died can be taken at once. */
export async function learnsOfDeaths({ storage }: Pick<Scene, 'storage'>): Promise<boolean> {
  return provesDeath(await capabilitiesOf(storage));
}

/** The tools of the run, in the order in which the model asks for them: one a step. */
export const TOOL_NAMES = ['reserve', 'charge', 'ship'] as const;

export const INPUT = 'Book the trip.';

/** What a tool does between its effect and its answer. */
export type Hold = (toolName: string, context: ToolContext) => Promise<void> | void;

export function openStore(scene: Scene): BundledStore {
  const { storage, graceMs } = scene;
  return openStorage(storage, { ...(graceMs !== undefined && { graceMs }) });
}

export function effectsOf(scene: Pick<Scene, 'folder'>): readonly Effect[] {
  return readEffects(ledgerPath(scene));
}

export interface SceneAgentOptions {
  readonly scene: Scene;
  readonly store: AgentStore;
  readonly hold?: Hold;
  /** A person is asked before it runs. */
  readonly gatedTool?: string;
  readonly ports?: Partial<RunPorts>;
  /** Marks what this agent does, where several live in one process. Default: the process id. */
  readonly actor?: number;
  /** Where a process dies in the place of this one: model and tool calls go through it. */
  readonly world?: CrashWorld;
}

/** What a call tells of itself; the rest of a ledger line is the same for all of an agent. */
type NotedCall = Pick<Effect, 'sessionId' | 'kind' | 'name' | 'step'> & Partial<Effect>;

/** An agent whose every run asks for each tool once, one a step, and then says that it is done. */
export function sceneAgent(options: SceneAgentOptions): Agent {
  const { scene, store, hold, gatedTool, ports, world, actor = process.pid } = options;
  const { test, round } = scene;
  const note = (call: NotedCall): void =>
    appendEffect(ledgerPath(scene), { test, round, pid: actor, at: hostNow(), ...call });
  const provider = scriptedModel(note);
  const tools = TOOL_NAMES.map((name) =>
    effectTool({ name, note, actor, hold, isGated: name === gatedTool }),
  );
  return createAgent({
    name: 'crash-test',
    provider: world ? world.provider(provider) : provider,
    tools: world ? world.tools(tools) : tools,
    store,
    ...(scene.lease && { lease: scene.lease }),
    ...(ports && { ports }),
  });
}

function ledgerPath({ folder }: Pick<Scene, 'folder'>): string {
  return join(folder, 'ledger.jsonl');
}

/** Which answer is due follows from the transcript alone, so that any process can go on. */
function scriptedModel(note: (call: NotedCall) => void): LLMProvider {
  return {
    name: 'scripted',
    generate: async ({ messages, sessionId = '', step }) => {
      note({ sessionId, kind: 'model', name: 'model', step });
      const due = messages.filter((message) => message.role === 'assistant').length;
      const name = TOOL_NAMES[due];
      if (!name) return { text: 'Done.', finishReason: 'stop' };
      const call = { id: `call-${due + 1}`, type: 'function', function: { name, arguments: '{}' } } as const;
      return { toolCalls: [call], finishReason: 'tool_calls' };
    },
  };
}

interface EffectToolParts {
  readonly name: string;
  readonly note: (call: NotedCall) => void;
  readonly actor: number;
  readonly hold: Hold | undefined;
  readonly isGated: boolean;
}

function effectTool({ name, note, actor, hold, isGated }: EffectToolParts): Tool {
  const asking = (_: unknown, { sessionId = '', stepIndex: step }: ToolContext): boolean => {
    note({ sessionId, kind: 'person', name, step });
    return true;
  };
  return defineTool({
    name,
    description: `Has the effect ${name}, which cannot be taken back`,
    input: ANY_OBJECT,
    inputJsonSchema: { type: 'object' },
    ...(isGated && { needsApproval: asking }),
    execute: async (_, context) => {
      const { sessionId = '', stepIndex: step, toolCallId: callId, fencingToken, approval } = context;
      note({
        sessionId,
        kind: 'tool',
        name,
        step,
        callId,
        ...(fencingToken !== undefined && { fencingToken }),
        ...(approval && { approvalId: approval.id }),
      });
      await hold?.(name, context);
      return { tool: name, by: actor };
    },
  });
}
