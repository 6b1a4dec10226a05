import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Claims } from '../../model/claims.js';
import type { ConformanceHarness } from '../../model/harness.js';
import { NotRun } from '../../model/violation.js';
import { ID } from '../../world/builders.js';
import { type Asking, ask, hold } from '../process/asking.js';
import { inStorage } from '../storage/private-storage.js';
import { works } from '../tools/command.js';
import { fakedTime } from '../tools/faketime.js';

export interface ClockFigures {
  /** Pairs of clocks that were tried. */
  readonly pairs: number;
  readonly inconsistent: readonly string[];
}

export interface ClockTrial {
  readonly harness: ConformanceHarness;
  readonly claims: Claims;
  readonly library: string;
  readonly work: string;
}

const TTL_S = 30;
const OFFSETS_S = [24, -24, 49, -49, 51, -51];
const JUMPS_S = [3_600, -3_600];
const RATES = [0.5, 3];
/** A time namespace of its own: its clock cannot be compared with the holder's. */
const OTHER_CLOCK = ['unshare', '--time'];
const EARLY_BY_S = 8;

/** A holder and a rival whose wall clocks disagree, in every way that a host's can (A14, A15). */
export async function disagreeingClocks(trial: ClockTrial): Promise<ClockFigures> {
  const wrong = await Promise.all([
    ...OFFSETS_S.map((offset) => offsetTrial(trial, offset)),
    ...OFFSETS_S.map((offset) => otherBootTrial(trial, offset)),
    ...JUMPS_S.map((jump) => jumpTrial(trial, jump)),
    ...RATES.map((rate) => rateTrial(trial, rate)),
  ]);
  return { pairs: wrong.length, inconsistent: wrong.flat() };
}

/** The holder's wall clock is off by so much all the time. */
function offsetTrial(trial: ClockTrial, offset: number): Promise<readonly string[]> {
  const says = `the holder's wall clock off by ${offset} s`;
  return withHolder(trial, { offset: seconds(offset) }, async ({ rival }) => [
    ...(await refused(`${says}: a rival on time`, rival({}))),
    ...(await grantedLate(trial, says, rival, offset)),
  ]);
}

/** The holder's wall clock is set while it holds; it renews by the new one. */
function jumpTrial(trial: ClockTrial, jump: number): Promise<readonly string[]> {
  const file = join(trial.work, `clock-${jump}`);
  mkdirSync(trial.work, { recursive: true });
  writeFileSync(file, '+0');
  const says = `the holder's wall clock set by ${jump} s while it holds`;
  return withHolder(trial, { file }, async ({ rival }) => {
    writeFileSync(file, seconds(jump));
    // Within one boot the monotonic clock decides, so a rival that sees the jump as well must not be misled either.
    const seeing = rival(fakedTime(trial.library, { offset: seconds(jump) }));
    return [
      ...(await refused(`${says}: a rival on time`, rival({}))),
      ...(trial.claims.clock === 'caller'
        ? []
        : await refused(`${says}: a rival that jumped as well`, seeing)),
      ...(await grantedLate(trial, says, rival, 0)),
    ];
  });
}

/** The rival's wall clock runs slow or fast. */
function rateTrial(trial: ClockTrial, rate: number): Promise<readonly string[]> {
  const says = `the rival's wall clock at ${rate} times the speed`;
  return withHolder(trial, {}, async ({ rival }) => [
    ...(await refused(says, rival(fakedTime(trial.library, { offset: `+0 x${rate}` })))),
    ...(await grantedLate(trial, says, rival, 0)),
  ]);
}

interface Held {
  /** Asks for the lease under these clocks. */
  rival(env: Readonly<Record<string, string>>, prefix?: readonly string[]): () => Promise<string>;
  /** Wall-clock seconds at which it was taken. */
  readonly from: number;
}

function withHolder(
  { harness, library }: ClockTrial,
  time: { readonly offset?: string; readonly file?: string },
  work: (held: Held) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  return inStorage(harness, async (storage) => {
    const env = Object.keys(time).length > 0 ? fakedTime(library, time) : {};
    const from = Date.now() / 1_000;
    const holder = await hold({ ...storage, env }, [
      'checkpoints.acquireLease',
      ID,
      'worker-a',
      TTL_S * 1_000,
    ]);
    try {
      const [first] = holder.answers;
      if (!first?.answer) return [`the holder was not granted a free id: ${JSON.stringify(first)}`];
      const rival =
        (rivalEnv: Readonly<Record<string, string>>, prefix: readonly string[] = []) =>
        () =>
          acquired({ ...storage, env: rivalEnv, prefix });
      return await work({ rival, from });
    } finally {
      await holder.end();
    }
  });
}

async function acquired(asking: Asking): Promise<string> {
  const [answer] = await ask(asking, ['checkpoints.acquireLease', ID, 'worker-b', TTL_S * 1_000]);
  return answer?.refused ?? (answer?.answer === false ? 'refused' : 'granted');
}

async function refused(says: string, rival: () => Promise<string>): Promise<readonly string[]> {
  const seen = await rival();
  return seen === 'refused' ? [] : [`${says} is ${seen} a lease that is live`];
}

/** A process that lives when time and grace are over, on every clock. */
async function grantedLate(
  trial: ClockTrial,
  says: string,
  rival: Held['rival'],
  offset: number,
): Promise<readonly string[]> {
  const lateBy = TTL_S + trial.claims.graceMs / 1_000 + Math.abs(offset) + 5;
  const seen = await rival(fakedTime(trial.library, { offset: seconds(lateBy), isMoment: true }))();
  return seen === 'granted' ? [] : [`${says}: after expiry and grace a rival is ${seen} the lease`];
}

/**
 * A rival to which the holder's monotonic clock says nothing, as after a boot: wall clocks decide, early by no more than their
 * difference and late by no more either.
 */
async function otherBootTrial(trial: ClockTrial, offset: number): Promise<readonly string[]> {
  if (!works([...OTHER_CLOCK, 'true'])) throw new NotRun('this process may not make time namespaces');
  const says = `another boot, the holder's wall clock off by ${offset} s`;
  return withHolder(trial, { offset: seconds(offset) }, async ({ rival, from }) => {
    const due = TTL_S + trial.claims.graceMs / 1_000 + offset;
    const at = (by: number) => rival(fakedTime(trial.library, { offset: seconds(by) }), OTHER_CLOCK);
    const elapsed = Math.ceil(Date.now() / 1_000 - from);
    // Starting a process takes its time.
    const early = await refused(`${says}: before expiry and grace a rival`, at(due - elapsed - EARLY_BY_S));
    const late = await at(due + 1)();
    return late === 'granted'
      ? early
      : [...early, `${says}: after expiry and grace a rival is ${late} the lease`];
  });
}

function seconds(offset: number): string {
  return `${offset < 0 ? '' : '+'}${offset}`;
}
