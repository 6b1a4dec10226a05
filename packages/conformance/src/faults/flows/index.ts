import { approvalFlow } from './approval-flow.js';
import { busyFlow } from './busy-flow.js';
import { creationFlow } from './creation-flow.js';
import type { Flow } from './flow.js';
import { forkFlow } from './fork-flow.js';
import { partsFlow } from './parts-flow.js';
import { deletes, firstRun, fullRing, takeOver } from './run-flows.js';

export const FLOWS: readonly Flow[] = [
  firstRun,
  takeOver,
  fullRing,
  deletes,
  approvalFlow,
  forkFlow,
  partsFlow,
];

export function flowNamed(name: string): Flow {
  const flow = [...FLOWS, busyFlow, creationFlow].find((each) => each.name === name);
  if (!flow) throw new Error(`Expected a flow of ${FLOWS.map((each) => each.name).join(', ')}, got ${name}`);
  return flow;
}
