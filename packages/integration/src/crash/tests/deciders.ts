import { type Child, startChild } from '../child.js';
import type { ChildIo } from '../child-io.js';
import { type CrashTest, NEEDS_PROCESSES } from '../crash-test.js';
import { hostNow } from '../host-time.js';
import { emptyFolder } from '../rounds.js';
import { newScene, openStore, type Scene } from '../scene.js';
import { type Decision, judgeDecisions } from './decision-judgement.js';
import { type AskedRun, askPerson, click, GATED_TOOL, gatedAgent, readGatedRuns } from './gated-run.js';

const ROUNDS = 200;
const PROCESSES = 16;
/** Between the order and the start, so that all have read it. */
const START_AFTER_MS = 20;

/** Many people who approve one call at the same moment, each in front of another process. */
export const deciders: CrashTest = {
  name: 'A',
  says: 'a run waits for an approval, then many processes give it at once, again and again',
  roles: { decider },
  run: async ({ store: name, folder, rounds = ROUNDS, processes = PROCESSES, progress }) => {
    if (name === 'memory') return NEEDS_PROCESSES;
    const shared = emptyFolder(folder, 'shared');
    const scene = await newScene({ test: 'A', round: 1, store: name, folder: shared });
    const workers = Array.from({ length: processes }, () =>
      startChild({ test: 'A', role: 'decider', settings: scene }),
    );
    const store = openStore(scene);
    try {
      await Promise.all(workers.map((worker) => worker.wait('ready')));
      const agent = gatedAgent({ scene, store });
      const asked: AskedRun[] = [];
      const races: Race[] = [];
      for (let round = 1; round <= rounds; round++) {
        progress(round - 1, rounds);
        const run = await askPerson(agent, `approved-${round}`);
        asked.push(run);
        races.push(await race(workers, run, round % 2 === 1));
      }
      for (const worker of workers) worker.tell('go-home');
      await Promise.all(workers.map((worker) => worker.finished()));
      const runs = await readGatedRuns(scene, store, asked);
      const decisions = races.map((each, at) => ({ ...each, run: runs[at] }) as Decision);
      return { kind: 'measured', figures: judgeDecisions(decisions, processes) };
    } finally {
      await store.close();
    }
  },
};

type Race = Omit<Decision, 'run'>;

/**
 * One approval that all gave. Where it `isHeld`, whoever runs the call stays in it until every other process has its answer;
 * otherwise late ones find a run that has moved on, or is finished.
 */
async function race(workers: readonly Child[], { approvalId }: AskedRun, isHeld: boolean): Promise<Race> {
  const startAt = hostNow() + START_AFTER_MS;
  for (const worker of workers) worker.tell('click', { approvalId, startAt, isHeld });
  const inTool: Child[] = [];
  const answers = new Map<number, string>();
  const answerOf = async (worker: Child): Promise<void> => {
    const message = await worker.wait('answer', 'in-tool');
    if (message.kind === 'in-tool') inTool.push(worker);
    else answers.set(worker.pid, message.answer as string);
  };
  await Promise.all(workers.map(answerOf));
  const lastAnswerMs = hostNow() - startAt;
  const runners = inTool.splice(0);
  for (const runner of runners) runner.tell('go-on');
  await Promise.all(runners.map(answerOf));
  return { answers, lastAnswerMs };
}

async function decider(io: ChildIo): Promise<void> {
  const scene = io.settings<Scene>();
  const store = openStore(scene);
  let isHeld = false;
  const agent = gatedAgent({
    scene,
    store,
    hold: async (tool) => {
      if (tool !== GATED_TOOL || !isHeld) return;
      io.tell('in-tool');
      await io.told('go-on');
    },
  });
  io.tell('ready');
  for (;;) {
    const order = await io.told('click', 'go-home');
    if (order.kind === 'go-home') break;
    const { approvalId, startAt } = order as unknown as { approvalId: string; startAt: number };
    isHeld = order.isHeld === true;
    await new Promise((resolve) => setTimeout(resolve, startAt - hostNow()));
    io.tell('answer', { answer: await click(agent, { approvalId }) });
  }
  await agent.close();
  await store.close();
}
