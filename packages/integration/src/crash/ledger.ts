import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Something that happened outside the store under test and cannot be taken back. */
export interface Effect {
  readonly test: string;
  readonly round: number;
  readonly sessionId: string;
  readonly pid: number;
  /** `person`: somebody was asked whether the tool may run. */
  readonly kind: 'tool' | 'model' | 'person';
  /** The tool's name; `model` for the model. */
  readonly name: string;
  /** 1-based step of the run. */
  readonly step: number;
  readonly callId?: string;
  readonly fencingToken?: number;
  /** The approval that a tool ran on. */
  readonly approvalId?: string;
  /** By hostNow(). */
  readonly at: number;
}

/** Durable when it returns; lines of several processes never mix. */
export function appendEffect(path: string, effect: Effect): void {
  const file = openSync(path, 'a');
  try {
    writeSync(file, `${JSON.stringify(effect)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export function readEffects(path: string): readonly Effect[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Effect);
}

/** How often each tool of a session took effect. */
export function toolCounts(effects: readonly Effect[], sessionId: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const effect of effects) {
    if (effect.kind !== 'tool' || effect.sessionId !== sessionId) continue;
    counts.set(effect.name, (counts.get(effect.name) ?? 0) + 1);
  }
  return counts;
}
