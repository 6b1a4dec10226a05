import {
  type Checkpoint,
  type CheckpointStore,
  SessionBusyError,
  type SessionRecord,
  type SessionStore,
} from '../../contract/index.js';
import type { Copy, CopyOutcome } from './copy-options.js';
import { movedMark } from './copy-run.js';
import { HeldId } from './held-id.js';
import { isMoved } from './plan-run.js';
import { differs, isSame } from './same-record.js';

interface Parts {
  readonly copy: Copy;
  readonly from: SessionStore;
  readonly to: SessionStore;
  readonly id: string;
}

/** Copies one transcript while nobody takes its next turn. */
export async function copySession(parts: Parts): Promise<CopyOutcome> {
  const { copy, from, to, id } = parts;
  const record = await from.load(id);
  if (!record) return 'unchanged';
  const { checkpoints } = copy.from;
  if (!checkpoints) return write(to, id, record);
  const held = await HeldId.take(checkpoints, turnAfter(id, record), copy.owner);
  try {
    const turn = await checkpoints.load(held.sessionId);
    if (turn && isMark(turn)) return 'moved';
    // Its run could not be copied, or began since.
    if (copy.closes && turn && !isMoved(turn)) throw gone(id);
    // Read again under the lease of the turn: what was read before says only which turn that is.
    const source = await from.load(id);
    if (!source || !isSame(source, record)) throw gone(id);
    const outcome = await write(to, id, source);
    // A turn that was moved is the target's to go on with.
    if (outcome === 'newer') return isMoved(turn) ? 'moved' : outcome;
    await reopen(copy.to.checkpoints, held.sessionId);
    if (copy.closes) await close(parts, source, held, turn);
    return outcome;
  } finally {
    await held.release();
  }
}

/** The target's transcript is continued only from one that the source had. */
async function write(to: SessionStore, id: string, source: SessionRecord): Promise<CopyOutcome> {
  const there = await to.load(id);
  const known = there?.messages ?? [];
  if (there && isSame(known, source.messages)) return 'unchanged';
  if (!isSame(known, source.messages.slice(0, known.length))) return 'newer';
  if (!(await to.saveIf(id, there?.revision ?? 0, source.messages))) return 'newer';
  const copied = await to.load(id);
  if (!copied || !isSame(copied.messages, source.messages)) throw differs(`session ${id}`);
  return 'copied';
}

/** A commit that is under way at the source finds another revision, and the next turn finds a mark in its place. */
async function close(
  { from, id }: Parts,
  source: SessionRecord,
  held: HeldId,
  turn: Checkpoint | null,
): Promise<void> {
  if (!(await from.saveIf(id, source.revision, source.messages))) throw gone(id);
  if (turn) return;
  const { sessionId } = held;
  await held.save(movedMark({ sessionId, stepIndex: 0, messages: [] }));
}

/** Takes away the mark of a session that was moved away from the target before, and comes back as it was. */
async function reopen(checkpoints: CheckpointStore | undefined, turnId: string): Promise<void> {
  const there = await checkpoints?.load(turnId);
  if (there && isMark(there)) await checkpoints?.delete(turnId, { keepHistory: true });
}

/** Nothing but a mark: no turn was begun there. */
function isMark(turn: Checkpoint): boolean {
  return isMoved(turn) && turn.messages.length === 0;
}

function turnAfter(id: string, { messages }: SessionRecord): string {
  return `${id}.turn-${messages.length}`;
}

function gone(id: string): SessionBusyError {
  return new SessionBusyError(id, `session ${id} went on while it was copied`);
}
