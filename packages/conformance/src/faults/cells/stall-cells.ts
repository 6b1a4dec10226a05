import type { FaultCell } from '../cell.js';
import { LONG_TTL } from '../flows/flow.js';
import { startInspector } from '../process/start-inspector.js';
import { blockedEventLoop } from '../stalls/blocked-event-loop.js';
import { disagreeingClocks } from '../stalls/clocks.js';
import {
  killedOutOfSight,
  otherNamespace,
  otherTimeNamespace,
  reusedProcessId,
} from '../stalls/namespaces.js';
import { stopAndTakeOver } from '../stalls/stop-and-take-over.js';
import { stoppedWithoutRival } from '../stalls/stopped-without-rival.js';
import { fakedTime } from '../tools/faketime.js';
import { nothingMissed } from './nothing-missed.js';
import { needFaketime, needNamespaces, needStrace } from './tools-needed.js';

const LEASES = [
  'checkpoints.acquireLease',
  'checkpoints.releaseLease',
  'checkpoints.saveIfLeased',
  'checkpoints.history',
  'checkpoints.list',
] as const;
/** Leases that the clocks of this host decide, between its processes. */
const BY_HOST = { methods: LEASES, reach: ['host'], clock: ['host', 'caller'] } as const;
const FENCED = { ...BY_HOST, fencing: ['atomic'] } as const;

const stopCells: readonly FaultCell[] = [
  ['F1', 'A01'],
  ['F2', 'A03'],
].map(([flow = '', publicCase]) => ({
  id: `stop:${flow}:${publicCase}`,
  says: 'SIGSTOP before and after each call of the store, a take-over when the lease is over, SIGCONT: the woken run changes nothing',
  needs: FENCED,
  run: async ({ scene, size, claims }) => {
    needStrace();
    const offset = `+${(LONG_TTL + claims.graceMs) / 1_000 + 60}`;
    const later = await startInspector(fakedTime(needFaketime(), { offset, isMoment: true }));
    try {
      const options = size === 'full' ? {} : { points: 5 };
      return nothingMissed(await stopAndTakeOver(await scene(flow), later, options));
    } finally {
      await later.end();
    }
  },
}));

export const stallCells: readonly FaultCell[] = [
  ...stopCells,
  {
    id: 'stop:without-rival:A16',
    says: 'a process that stood still past the expiry and whom nobody replaced saves on',
    needs: FENCED,
    run: async ({ harness }) => ({ trials: 1, inconsistent: await stoppedWithoutRival(harness) }),
  },
  {
    id: 'blocked-event-loop:A02:A09',
    says: 'a run whose event loop is blocked keeps its lease until expiry and grace; once replaced it stops at its next save, before any tool',
    needs: FENCED,
    run: async ({ scene, claims }) => blockedEventLoop(await scene('busy'), claims, needFaketime()),
  },
  {
    id: 'clocks:A14:A15',
    says: 'wall clocks that are off by 24, 49 and 51 s, that jump by an hour, that run slow or fast: no early take-over, none that is late',
    needs: BY_HOST,
    run: async ({ harness, claims, work }) => {
      const { pairs, inconsistent } = await disagreeingClocks({
        harness,
        claims,
        work,
        library: needFaketime(),
      });
      return { trials: pairs, inconsistent };
    },
  },
  {
    id: 'namespaces:A18',
    says: 'a live holder in another PID namespace is not taken for dead',
    needs: BY_HOST,
    run: async ({ harness }) => {
      needNamespaces();
      return { trials: 2, inconsistent: await otherNamespace(harness) };
    },
  },
  {
    id: 'namespaces:killed:A13',
    says: 'the lease of a killed holder whose end nobody can prove is refused until expiry and grace, and granted then',
    needs: BY_HOST,
    run: async ({ harness, claims }) => {
      needNamespaces();
      const offset = `+${(LONG_TTL + claims.graceMs) / 1_000 + 60}`;
      const later = fakedTime(needFaketime(), { offset, isMoment: true });
      return { trials: 2, inconsistent: await killedOutOfSight(harness, later) };
    },
  },
  {
    id: 'namespaces:time:A18',
    says: 'a live holder in another time namespace is not taken for dead',
    needs: BY_HOST,
    run: async ({ harness }) => ({ trials: 1, inconsistent: await otherTimeNamespace(harness) }),
  },
  {
    id: 'namespaces:reused-pid:A17',
    says: 'a process that got a dead holder’s id does not keep its lease alive; outside of its namespace nothing is proven',
    needs: { ...BY_HOST, deathProof: ['process'] },
    run: async ({ harness }) => {
      needNamespaces();
      return { trials: 2, inconsistent: await reusedProcessId(harness) };
    },
  },
];
