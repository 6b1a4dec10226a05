import type { AgentFingerprint } from '../contract/index.js';
import { canonical } from './canonical.js';
import { shortHash as hash } from './short-hash.js';

/** What of an agent can change under a run that sleeps. Functions are not part of it: changed code is no change. */
export interface AgentTraits {
  readonly model: string | undefined;
  readonly instructions: string | undefined;
  readonly tools: readonly {
    readonly name: string;
    readonly inputSchema: Readonly<Record<string, unknown>>;
  }[];
}

/** Where an agent differs from the one that began the run. */
export interface AgentDrift {
  readonly model?: { readonly from: string | undefined; readonly to: string | undefined };
  readonly toolsAdded: readonly string[];
  readonly toolsRemoved: readonly string[];
  /** The schema of their arguments changed. */
  readonly toolsChanged: readonly string[];
  readonly instructions: boolean;
}

const VERSION = 1;

/** The parts one by one, so that a difference can be named, and one hash over all. Independent of the order of tools. */
export async function fingerprint(traits: AgentTraits): Promise<AgentFingerprint> {
  const hashes = await Promise.all(
    traits.tools.map(async ({ name, inputSchema }) => [name, await hash(canonical(inputSchema))] as const),
  );
  const tools = Object.fromEntries(hashes.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const instructions = await hash(traits.instructions ?? '');
  const { model } = traits;
  const parts = { version: VERSION, ...(model !== undefined && { model }), tools, instructions };
  return { ...parts, hash: await hash(canonical(parts)) };
}

/** A resumed run keeps the instructions that stand in its transcript, so that is what its later records say. */
export async function withInstructionsOf(
  stored: AgentFingerprint | undefined,
  current: AgentFingerprint,
): Promise<AgentFingerprint> {
  if (!stored || stored.version !== VERSION || stored.instructions === current.instructions) return current;
  const { hash: _, ...rest } = current;
  const parts = { ...rest, instructions: stored.instructions };
  return { ...parts, hash: await hash(canonical(parts)) };
}

/** `null` when nothing changed, and when an older record has no fingerprint. */
export function driftBetween(
  stored: AgentFingerprint | undefined,
  current: AgentFingerprint,
): AgentDrift | null {
  // One of another version cannot be compared part by part.
  if (!stored || stored.version !== VERSION || stored.hash === current.hash) return null;
  const [before, now] = [Object.keys(stored.tools), Object.keys(current.tools)];
  const drift: AgentDrift = {
    ...(stored.model !== current.model && { model: { from: stored.model, to: current.model } }),
    toolsAdded: now.filter((name) => !Object.hasOwn(stored.tools, name)),
    toolsRemoved: before.filter((name) => !Object.hasOwn(current.tools, name)),
    toolsChanged: now.filter(
      (name) => Object.hasOwn(stored.tools, name) && stored.tools[name] !== current.tools[name],
    ),
    instructions: stored.instructions !== current.instructions,
  };
  const { model, toolsAdded, toolsRemoved, toolsChanged, instructions } = drift;
  const isSame =
    !model && !instructions && toolsAdded.length + toolsRemoved.length + toolsChanged.length === 0;
  return isSame ? null : drift;
}

/** What changed, in words. */
export function describeDrift(drift: AgentDrift): string {
  const { model, toolsAdded, toolsRemoved, toolsChanged, instructions } = drift;
  return [
    ...(model ? [`model ${model.from ?? '(default)'} -> ${model.to ?? '(default)'}`] : []),
    ...(toolsAdded.length > 0 ? [`tools added: ${toolsAdded.join(', ')}`] : []),
    ...(toolsRemoved.length > 0 ? [`tools removed: ${toolsRemoved.join(', ')}`] : []),
    ...(toolsChanged.length > 0 ? [`schemas changed: ${toolsChanged.join(', ')}`] : []),
    ...(instructions ? ['instructions changed'] : []),
  ].join('; ');
}
