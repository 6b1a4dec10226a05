import type { CrashTest } from './crash-test.js';
import { deciders } from './tests/deciders.js';
import { growth } from './tests/growth.js';
import { killPoints } from './tests/kill-points.js';
import { killedDecider } from './tests/killed-decider.js';
import { replicas } from './tests/replicas.js';
import { restart } from './tests/restart.js';
import { resumers } from './tests/resumers.js';
import { webhook } from './tests/webhook.js';
import { zombie } from './tests/zombie.js';

/** All crash tests, in the order in which they run. */
export const CRASH_TESTS: readonly CrashTest[] = [
  deciders,
  killedDecider,
  zombie,
  killPoints,
  replicas,
  growth,
  resumers,
  restart,
  webhook,
];

export function findCrashTest(name: string): CrashTest | undefined {
  return CRASH_TESTS.find((test) => test.name.toLowerCase() === name.toLowerCase());
}
