import { FENCED } from '../methods.js';

/** What binds as long as no two owners act at the same moment. */
export const HOLDER = { methods: FENCED, fencing: ['atomic', 'best-effort'] } as const;
