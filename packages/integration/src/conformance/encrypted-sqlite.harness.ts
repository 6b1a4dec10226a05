import { encrypted } from '@lousho/core';
import { encryptedHarness, TEST_KEYS } from './encrypted-harness.js';
import sqlite, { openFromConfig as openPlain } from './sqlite.harness.js';

export default encryptedHarness(sqlite, { module: import.meta.url });

export const openFromConfig = (config: unknown) => encrypted(openPlain(config), TEST_KEYS);
