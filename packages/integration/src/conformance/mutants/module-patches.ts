// Imported before everything else by a process that runs a mutant, and by the processes that it starts.
import { register } from 'node:module';
import { PATCHES } from './patches-variable.js';

const patches = process.env[PATCHES];
if (patches) register('./patch-hooks.js', import.meta.url, { data: JSON.parse(patches) });
