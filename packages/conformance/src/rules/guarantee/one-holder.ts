import { FENCED } from '../methods.js';

/** What a store must promise for a run on it to have one process at a time, and a check must be able to do to see it. */
export const ONE_HOLDER = {
  methods: FENCED,
  fencing: ['atomic'],
  reads: ['latest'],
  clock: ['store', 'host', 'caller', 'observed'],
  seams: ['clock'],
} as const;
