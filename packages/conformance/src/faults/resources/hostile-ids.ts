import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConformanceHarness } from '../../model/harness.js';
import { approval, checkpoint, decision } from '../../world/builders.js';
import { type Answer, type AskedCall, askCommand } from '../process/asking.js';
import { emptyFolder } from '../storage/place.js';
import { inStorage } from '../storage/private-storage.js';
import { run } from '../tools/command.js';
import { traced } from '../tools/strace.js';
import { pathsOf } from '../trace/mutating-calls.js';
import { parseTrace } from '../trace/strace-line.js';

/** Part of every hostile id, so that it shows in whatever path it gets into. */
const MARK = 'outside-42';
const HOSTILE = [
  `../${MARK}`,
  `/tmp/${MARK}`,
  `a/../../${MARK}`,
  `..\\${MARK}`,
  `%2e%2e%2f${MARK}`,
  `${MARK}\0.log`,
  `./${MARK}`,
  `.${MARK}`,
  `${MARK}/`,
];

/** Every method refuses an id that is a path, and no system call ever names it (A44). */
export function refuseHostileIds(harness: ConformanceHarness, work: string): Promise<readonly string[]> {
  return inStorage(harness, async (storage) => {
    const log = join(emptyFolder(work), 'trace.txt');
    const calls = HOSTILE.flatMap(callsWith);
    // Something that is there, so that the storage is open when the hostile ones come.
    const command = askCommand(storage, [['checkpoints.load', 'refund-42'], ...calls]);
    const { stdout, stderr } = await run(traced(command, { log, bytes: 64 }));
    const answers = JSON.parse(stdout || '[]') as readonly Answer[];
    if (answers.length !== calls.length + 1)
      return [`${answers.length - 1} of ${calls.length} calls were answered: ${stderr.slice(-300)}`];
    const wrong = calls.flatMap(([path, id], at) => {
      const answer = answers[at + 1] as Answer;
      return isRefusal(path, answer)
        ? []
        : [`${path}(${JSON.stringify(id)}) was answered ${JSON.stringify(answer)}`];
    });
    const { calls: made } = parseTrace(readFileSync(log, 'utf8'));
    const named = made.filter((call) => pathsOf(call).some((path) => path.includes(MARK)));
    return [...wrong, ...named.map(({ name, args }) => `${name}(${args.join(', ')}) names a hostile id`)];
  });
}

function callsWith(id: string): readonly AskedCall[] {
  return [
    ['checkpoints.save', id, checkpoint({ sessionId: id })],
    ['checkpoints.load', id],
    ['checkpoints.delete', id],
    ['checkpoints.history', id],
    ['checkpoints.acquireLease', id, 'worker-a', 30_000],
    ['checkpoints.renewLease', id, 'worker-a', 30_000],
    ['checkpoints.releaseLease', id, 'worker-a'],
    ['checkpoints.readLease', id],
    ['checkpoints.saveIfLeased', id, checkpoint({ sessionId: id }), 'worker-a'],
    ['sessions.load', id],
    ['sessions.saveIf', id, 0, []],
    ['sessions.delete', id],
    ['approvals.save', approval({ id }), {}],
    ['approvals.load', id],
    ['approvals.decide', id, decision({ id })],
    ['approvals.delete', id],
  ];
}

/** ID-02, ID-07, ID-08: reads of approvals answer, everything else refuses. */
function isRefusal(path: string, { answer, refused }: Answer): boolean {
  if (path === 'approvals.save') return refused === 'LOUSHO_APPROVAL_ID_INVALID';
  if (path.startsWith('approvals.'))
    return refused === undefined && [undefined, null, 'not-found'].includes(answer as null);
  return refused === 'LOUSHO_SESSION_ID_INVALID';
}
