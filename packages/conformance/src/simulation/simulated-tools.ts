import { defineTool, type LLMProvider, type StandardSchema, type Tool } from '@lousho/core';
import type { Random } from '../world/random.js';
import type { Effects } from './effects.js';
import type { LeaseBelief } from './lease-belief.js';
import type { Life } from './life.js';
import type { Scheduler } from './scheduler.js';
import { type Script, scriptedAnswer, TOOL_NAMES } from './script.js';

export interface Surroundings {
  readonly life: Life;
  readonly belief: LeaseBelief;
  readonly scheduler: Scheduler;
  readonly effects: Effects;
  readonly random: Random;
  readonly scriptOf: (sessionId: string) => Script;
}

/** The model that every process asks. It takes its time, and the process may not live to hear the answer. */
export function simulatedModel(around: Surroundings): LLMProvider {
  return {
    name: 'simulated',
    generate: async (request) => {
      around.effects.modelAsked(around.life.name, around.belief, request);
      await around.scheduler.point(around.life, `model ${request.sessionId}`, 'step');
      await takesTime(around);
      return scriptedAnswer(around.scriptOf(request.sessionId ?? ''), request);
    },
  };
}

export function simulatedTools(around: Surroundings): readonly Tool[] {
  return TOOL_NAMES.map((name) =>
    defineTool({
      name,
      description: name,
      input: ANYTHING,
      inputJsonSchema: { type: 'object' },
      ...(name === 'charge' && { rerun: 'never' }),
      ...(name === 'refund' && { needsApproval: true }),
      execute: async (_, context) => {
        around.effects.toolStarted(around.life.name, around.belief, name, context);
        await around.scheduler.point(around.life, `${name} ${context.toolCallId}`, 'step');
        await takesTime(around);
        return { did: name };
      },
    }),
  );
}

/** Mostly none; sometimes longer than a lease lives without its heartbeat. */
async function takesTime({ scheduler, life, random }: Surroundings): Promise<void> {
  if (random.chance(0.6)) return;
  await scheduler.sleep(
    life,
    scheduler.areFaultsOn && random.chance(0.1) ? 25_000 + random.int(40_000) : random.int(3_000),
  );
}

const ANYTHING: StandardSchema = {
  '~standard': { version: 1, vendor: 'lousho', validate: (value) => ({ value }) },
};
