import { assertSupportedRuntime } from '../contract/index.js';

/**
 * A module of Node that is loaded when it is first used: `late(() => process.getBuiltinModule('node:crypto'))`. Some take longer to
 * load than this package, and a program that only imports it, such as a command that prints its help, should not wait for them.
 * The first use throws `LOUSHO_CONFIG_INVALID` on a Node that is too old.
 */
export function late<T extends object>(load: () => T): () => T {
  let loaded: T | undefined;
  return () => {
    if (loaded === undefined) {
      assertSupportedRuntime();
      loaded = load();
    }
    return loaded;
  };
}
