import { encryptedHarness } from './encrypted-harness.js';
import memory from './memory.harness.js';

export default encryptedHarness(memory, {});
