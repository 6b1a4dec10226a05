import type { Agent, ExecutionResult } from '@lousho/core';
import { type Child, startChild } from '../child.js';
import type { ChildIo } from '../child-io.js';
import { type CrashSetup, type CrashTest, NEEDS_PROCESSES } from '../crash-test.js';
import { hostNow } from '../host-time.js';
import { type CallOutcome, callOutcome, freedOutcome, outcomeWord } from '../resume-outcome.js';
import { emptyFolder } from '../rounds.js';
import { newScene, openStore, type Scene, withDeaths } from '../scene.js';
import { type AskedRun, askPerson, click, GATED_TOOL, gatedAgent, readGatedRuns } from './gated-run.js';
import { type InterruptedRun, judgeInterruptions } from './interruption-judgement.js';

const ROUNDS = 200;
const AT_A_TIME = 2;
const INTERVAL_MS = 50;

/** A process that dies between the effect of an approved call and its record, and a second one that finds the run. */
export const killedDecider: CrashTest = {
  name: 'B',
  says: 'SIGKILL inside the approved tool, after its effect, then a second process goes on by resume() or recover()',
  roles: { doomed, heir },
  run: async (setup) => {
    if (setup.store === 'memory') return NEEDS_PROCESSES;
    const { rounds: all = ROUNDS } = setup;
    const rounds = Array.from({ length: all }, (_, index) => index + 1);
    let done = 0;
    const nextRound = () => {
      const round = rounds.shift();
      if (round !== undefined) setup.progress(done++, all);
      return round;
    };
    const lanes = Array.from({ length: Math.min(AT_A_TIME, all) }, (_, index) =>
      lane(setup, `lane-${index + 1}`, nextRound),
    );
    return { kind: 'measured', figures: judgeInterruptions((await Promise.all(lanes)).flat()) };
  },
};

/** Plays rounds in one storage, with one second process. */
async function lane(
  setup: CrashSetup,
  name: string,
  nextRound: () => number | undefined,
): Promise<readonly InterruptedRun[]> {
  const folder = emptyFolder(setup.folder, name);
  const scene = await withDeaths(await newScene({ test: 'B', round: 1, store: setup.store, folder }));
  const second = startChild({ test: 'B', role: 'heir', settings: scene });
  const store = openStore(scene);
  try {
    const agent = gatedAgent({ scene, store });
    const asked: AskedRun[] = [];
    const lives: Life[] = [];
    for (let round = nextRound(); round !== undefined; round = nextRound()) {
      const run = await askPerson(agent, `interrupted-${round}`);
      asked.push(run);
      lives.push(await interruptedLife({ scene, agent, run, second, round }));
    }
    second.tell('go-home');
    await second.finished();
    const runs = await readGatedRuns(scene, store, asked);
    return lives.map((life, at) => ({ ...life, run: runs[at] }) as InterruptedRun);
  } finally {
    await store.close();
  }
}

type Life = Omit<InterruptedRun, 'run'>;

interface Round {
  readonly scene: Scene;
  readonly agent: Agent;
  readonly run: AskedRun;
  readonly second: Child;
  readonly round: number;
}

async function interruptedLife({ scene, agent, run, second, round }: Round): Promise<Life> {
  const first = startChild({ test: 'B', role: 'doomed', settings: { scene, run } });
  const { signal } = await first.gone();
  // A process that failed says why; one that came to its end never was killed.
  if (signal !== 'SIGKILL') await first.finished();
  const killedAt = hostNow();
  const { length: undecidedBetween } = await agent.approvals.list();
  // Who sees nothing happen clicks again: before the run is found, or after.
  const isImpatient = round % 4 >= 2;
  const early = isImpatient ? await click(agent, run) : undefined;
  const isByRecover = round % 2 === 0;
  second.tell('go-on', { sessionId: run.sessionId, isByRecover });
  const { outcome } = await second.wait('outcome');
  const finishedMs = hostNow() - killedAt;
  return {
    wasKilled: signal === 'SIGKILL',
    deciderPid: first.pid,
    undecidedBetween,
    isByRecover,
    recovery: outcome as string,
    secondClick: early ?? (await click(agent, run)),
    finishedMs,
  };
}

/** Approves, and dies inside the call, when the effect is there. */
async function doomed(io: ChildIo): Promise<void> {
  const { scene, run } = io.settings<{ scene: Scene; run: AskedRun }>();
  const hold = async (tool: string): Promise<void> => {
    if (tool !== GATED_TOOL) return;
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  };
  const answer = await click(gatedAgent({ scene, store: openStore(scene), hold }), run);
  throw new Error(`the click was answered: ${answer}`);
}

async function heir(io: ChildIo): Promise<void> {
  const scene = io.settings<Scene>();
  const store = openStore(scene);
  const agent = gatedAgent({ scene, store });
  for (;;) {
    const order = await io.told('go-on', 'go-home');
    if (order.kind === 'go-home') break;
    const { sessionId, isByRecover } = order as unknown as { sessionId: string; isByRecover: boolean };
    const outcome = await (isByRecover ? recovered(agent, sessionId) : freedOutcome(agent, sessionId));
    io.tell('outcome', { outcome: outcomeWord(outcome) });
  }
  await agent.close();
  await store.close();
}

/** What a recovery loop makes of the run. */
async function recovered(agent: Agent, sessionId: string): Promise<CallOutcome> {
  const stop = new AbortController();
  const found = new Promise<ExecutionResult>((resolve, reject) => {
    agent.recover({
      intervalMs: INTERVAL_MS,
      signal: stop.signal,
      onRecovered: (run, result) => {
        if (run.sessionId === sessionId) resolve(result);
      },
      onError: reject,
    });
  });
  const outcome = await callOutcome(found);
  stop.abort();
  return outcome;
}
