import { faultTests } from './support/fault-tests.js';

faultTests('file');
