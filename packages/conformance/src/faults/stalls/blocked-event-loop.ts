import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Claims } from '../../model/claims.js';
import type { Figures } from '../cell.js';
import { RUN_ID } from '../flows/flow.js';
import { ask } from '../process/asking.js';
import { victimCommand } from '../process/start-victim.js';
import { type Scene, stage } from '../scene.js';
import { type JournalEntry, readJournal } from '../storage/journal.js';
import { killGroup, start } from '../tools/command.js';
import { fakedTime } from '../tools/faketime.js';

/** The executor's default. */
const TTL_S = 30;

/** Once with a rival that lives now, once with one that lives when expiry and grace are over. */
export async function blockedEventLoop(scene: Scene, claims: Claims, library: string): Promise<Figures> {
  const late = TTL_S + claims.graceMs / 1_000 + 5;
  const now = await blocked(scene, 'now', {});
  const later = await blocked(scene, 'later', fakedTime(library, { offset: `+${late}`, isMoment: true }));
  return {
    trials: 2,
    inconsistent: [
      ...(now.rival === false ? [] : ['the lease of a blocked run that is live was granted']),
      ...(now.end === 'came to stop' ? [] : [`a run that was blocked and not replaced ${now.end}`]),
      ...(later.rival === false ? ['after expiry and grace the lease of a blocked run was refused'] : []),
      ...(later.end === 'rejected with LOUSHO_SESSION_BUSY'
        ? []
        : [`a run that was blocked and replaced ${later.end}`]),
      ...(later.effects === 1
        ? []
        : [`a run that was replaced in its first tool had ${later.effects} effects`]),
    ],
  };
}

async function blocked(scene: Scene, name: string, rivalEnv: Readonly<Record<string, string>>) {
  const { place, order } = stage(scene, name);
  const child = start(victimCommand(order));
  const exited = once(child, 'exit');
  try {
    const isBlocked = () => notesOf(readJournal(order.journal)).includes('blocked');
    while (!isBlocked() && child.exitCode === null) await sleep(10);
    const asking = { module: scene.module, config: place.config, env: rivalEnv };
    const [answer] = await ask(asking, ['checkpoints.acquireLease', RUN_ID, 'worker-b', TTL_S * 1_000]);
    writeFileSync(`${order.journal}.go`, '');
    await exited;
    const journal = readJournal(order.journal);
    const effects = journal.filter(({ k }) => k === 'effect').length;
    return { rival: answer?.answer, end: notesOf(journal).at(-1), effects };
  } finally {
    killGroup(child);
  }
}

function notesOf(journal: readonly JournalEntry[]): readonly string[] {
  return journal.flatMap((entry) => (entry.k === 'note' ? [entry.text] : []));
}
