import type { HistoryEntry, RecoverOptions } from '@lousho/core';
import { type Child, startChild } from '../child.js';
import type { ChildIo } from '../child-io.js';
import { type CrashSetup, type CrashTest, NEEDS_PROCESSES } from '../crash-test.js';
import { until } from '../deadline.js';
import { exactly, type Figure, told, within } from '../figure.js';
import { hostNow } from '../host-time.js';
import { toolCounts } from '../ledger.js';
import { callOutcome, outcomeWord } from '../resume-outcome.js';
import { emptyFolder } from '../rounds.js';
import { effectsOf, INPUT, newScene, openStore, type Scene, sceneAgent, TOOL_NAMES } from '../scene.js';
import { DEADLY_TOOL, startVictim, victim } from './victim.js';

const REPLICAS = 4;
const CRASHED_RUNS = 6;
const LEASE = { ttlMs: 1_500, renewEveryMs: 500 };
const GRACE_MS = 500;
const INTERVAL_MS = 250;
const LIMIT_MS = LEASE.ttlMs + GRACE_MS + INTERVAL_MS;

/** A service of several replicas that each recover what they find. */
export const replicas: CrashTest = {
  name: 'E',
  says: 'replicas with recover() over one store find crashed runs while each drives one; one is killed inside a tool',
  roles: { victim, replica },
  run: async (setup) => {
    if (setup.store === 'memory') return NEEDS_PROCESSES;
    return { kind: 'measured', figures: await service(setup) };
  },
};

async function service({
  store: name,
  folder,
  processes = REPLICAS,
  progress,
}: CrashSetup): Promise<Figure[]> {
  const scene = await newScene({
    test: 'E',
    round: 1,
    store: name,
    folder: emptyFolder(folder, 'shared'),
    lease: LEASE,
    graceMs: GRACE_MS,
  });
  const crashed = Array.from({ length: CRASHED_RUNS }, (_, index) => `crashed-${index + 1}`);
  const driven = Array.from({ length: processes }, (_, index) => `driven-${index + 1}`);
  const store = openStore(scene);
  try {
    const seeder = startVictim(scene, crashed);
    await seeder.wait('in-tool');
    await seeder.kill();
    progress(1, 4);

    const children = driven.map((sessionId) =>
      startChild({ test: 'E', role: 'replica', settings: { scene, sessionId } }),
    );
    const [doomed, ...others] = children as [Child, ...Child[]];
    await Promise.all(children.map(inTool));
    await allFinished(crashed);
    progress(2, 4);

    const killedAt = hostNow();
    await doomed.kill();
    const orphan = driven[0] as string;
    await allFinished([orphan]);
    const finishedAt = hostNow();
    progress(3, 4);

    // Longer than a lease lives: who is alive and busy keeps its run only by renewing.
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, killedAt + LIMIT_MS - hostNow())));
    for (const child of others) child.tell('go-on');
    const reports = await Promise.all(others.map(reportOf));
    await allFinished([...crashed, ...driven]);
    const histories = new Map<string, readonly HistoryEntry[]>();
    for (const id of [...crashed, ...driven])
      histories.set(id, (await store.checkpoints.history?.(id)) ?? []);
    return judge({ scene, crashed, driven, orphan, killedAt, finishedAt, reports, histories });
  } finally {
    await store.close();
  }

  async function allFinished(sessionIds: readonly string[]): Promise<void> {
    for (const sessionId of sessionIds) {
      await until(
        async () => (await store.checkpoints.load(sessionId))?.status === 'finished' || undefined,
        `${sessionId} to finish`,
      );
    }
  }
}

interface ReplicaReport {
  /** What its own call came to, in a word. */
  readonly own: string;
  readonly errors: readonly string[];
}

/** Until its own run is in its tool. One that never comes there says what it came to instead, such as a lease that it lost. */
async function inTool(child: Child): Promise<void> {
  const message = await child.wait('in-tool', 'report');
  if (message.kind === 'in-tool') return;
  const { own, errors } = message as unknown as ReplicaReport;
  throw new Error(
    `a replica's own run came to ${own} before its tool; recover() told ${errors[0] ?? 'nothing'}`,
  );
}

async function reportOf(child: Child): Promise<ReplicaReport> {
  const report = await child.wait('report');
  await child.finished();
  return report as unknown as ReplicaReport;
}

/** Recovers what it finds, and drives one run of its own that stays inside its second tool for a while. */
async function replica(io: ChildIo): Promise<void> {
  const { scene, sessionId } = io.settings<{ scene: Scene; sessionId: string }>();
  const store = openStore(scene);
  const errors: string[] = [];
  const agent = sceneAgent({
    scene,
    store,
    hold: async (tool, context) => {
      if (tool !== DEADLY_TOOL || context.sessionId !== sessionId) return;
      io.tell('in-tool');
      await io.told('go-on');
    },
  });
  const onError: RecoverOptions['onError'] = (error, run) => {
    errors.push(`${run?.sessionId}: ${error}`);
  };
  const recovery = agent.recover({ intervalMs: INTERVAL_MS, onError });
  const outcome = await callOutcome(agent.send(INPUT, { sessionId }));
  await recovery.stop();
  await agent.close();
  await store.close();
  io.tell('report', { own: outcomeWord(outcome), errors });
}

interface Service {
  readonly scene: Scene;
  readonly crashed: readonly string[];
  readonly driven: readonly string[];
  /** The run of the replica that was killed. */
  readonly orphan: string;
  readonly killedAt: number;
  readonly finishedAt: number;
  readonly reports: readonly ReplicaReport[];
  readonly histories: ReadonlyMap<string, readonly HistoryEntry[]>;
}

function judge(service: Service): Figure[] {
  const { scene, crashed, driven, orphan, killedAt, finishedAt, reports, histories } = service;
  const effects = effectsOf(scene);
  const counts = (sessionId: string) => {
    const of = toolCounts(effects, sessionId);
    return TOOL_NAMES.map((name) => of.get(name) ?? 0).join(' ');
  };
  const alike = (sessionIds: readonly string[]) => [...new Set(sessionIds.map(counts))].join(', ');
  const undisturbed = driven.filter((sessionId) => sessionId !== orphan);
  const finishes = (entries: readonly HistoryEntry[]) =>
    entries.filter(({ status }) => status === 'finished').length;
  const again = effects.findLast(({ sessionId, name }) => sessionId === orphan && name === DEADLY_TOOL);
  const errors = reports.flatMap((report) => report.errors);
  return [
    told('replicas', driven.length),
    told('runs: crashed before, driven', `${crashed.length}, ${driven.length}`),
    exactly(
      'runs finished exactly once',
      [...histories.values()].filter((entries) => finishes(entries) === 1).length,
      crashed.length + driven.length,
    ),
    exactly('effects of a crashed run, by step', alike(crashed), '1 2 1'),
    exactly("effects of the killed replica's run, by step", counts(orphan), '1 2 1'),
    exactly('effects of the other driven runs, by step', alike(undisturbed), '1 1 1'),
    exactly('what the other drivers got', [...new Set(reports.map(({ own }) => own))].join(', '), 'finished'),
    exactly('errors told by recover()', errors[0] ?? 'none', 'none'),
    within(
      'kill to its tool running elsewhere',
      (again?.at ?? Number.POSITIVE_INFINITY) - killedAt,
      LIMIT_MS,
    ),
    within('kill to its run finished', finishedAt - killedAt, LIMIT_MS),
  ];
}
