import type { Logger } from '@lousho/core';
import { exploreCrashes } from '@lousho/core/testing';
import { memoryStore } from '@lousho/store-memory';
import type { CrashOutcome, CrashSetup } from '../crash-test.js';
import { exactly, told } from '../figure.js';
import { INPUT, type Scene, sceneAgent } from '../scene.js';

/**
 * The kill points for a store of one process: the crash explorer lets an agent stop there for good, and a fresh agent on the same
 * storage goes on. It also stops at model and tool calls.
 */
export async function killPointsInOneProcess({ folder, progress }: CrashSetup): Promise<CrashOutcome> {
  const scene: Scene = { test: 'D', round: 1, storage: { store: 'memory' }, folder };
  const report = await exploreCrashes(
    {
      sessionId: 'killed',
      turns: [{ input: INPUT }],
      openStorage: async () => {
        const store = memoryStore();
        return { openStore: async () => store, dispose: () => store.close() };
      },
      createAgent: (world, store) => sceneAgent({ scene, store, world, ports: { logger: SILENT } }),
    },
    { onPoint: progress },
  );
  const { findings } = report;
  return {
    kind: 'measured',
    figures: [
      told('kill points', report.crashPoints),
      exactly('points that repeat a recorded tool', report.repeatedTools, 0),
      exactly('stored model answers asked for again', report.repeatedModelCalls, 0),
      exactly('final transcripts that differ', findings.length, 0),
      ...(findings.length > 0 ? [told('first difference', findings[0]?.problem.split('\n')[0] ?? '')] : []),
    ],
  };
}

/** A dead process cannot release its lease: that it would warn of it is no news here. */
const SILENT: Logger = { warn: () => undefined };
