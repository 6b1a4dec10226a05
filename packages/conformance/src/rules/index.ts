import type { Rule } from '../model/rule.js';
import * as approval from './approval/index.js';
import * as checkpoint from './checkpoint/index.js';
import * as claim from './claim/index.js';
import * as close from './close/index.js';
import * as fence from './fence/index.js';
import * as fidelity from './fidelity/index.js';
import * as guarantee from './guarantee/index.js';
import * as history from './history/index.js';
import * as id from './id/index.js';
import * as lease from './lease/index.js';
import * as limits from './limits/index.js';
import * as list from './list/index.js';
import * as prune from './prune/index.js';
import * as refusal from './refusal/index.js';
import * as run from './run/index.js';
import * as session from './session/index.js';

const FILES: readonly Readonly<Record<string, readonly Rule[]>>[] = [
  claim,
  fidelity,
  id,
  checkpoint,
  history,
  list,
  lease,
  fence,
  approval,
  session,
  prune,
  close,
  refusal,
  limits,
  run,
  guarantee,
];

/** The families in the order of docs/contract.md. */
const FAMILIES = [
  'CLAIM',
  'FIDELITY',
  'ID',
  'CHECKPOINT',
  'HISTORY',
  'LIST',
  'LEASE',
  'FENCE',
  'APPROVAL',
  'SESSION',
  'PRUNE',
  'CLOSE',
  'REFUSAL',
  'LIMITS',
  'RUN',
  'PREFIX',
  'EFFECT',
  'FORK',
  'VALIDITY',
  'CONSUME',
  'RECOVERY',
];

/** Every rule of the kit, in the order of docs/contract.md. */
export const RULES: readonly Rule[] = FILES.flatMap((file) => Object.values(file).flat()).sort(
  (a, b) => FAMILIES.indexOf(a.family) - FAMILIES.indexOf(b.family) || (a.id < b.id ? -1 : 1),
);
