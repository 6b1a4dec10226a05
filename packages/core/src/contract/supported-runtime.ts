import { ConfigurationError } from './errors.js';

const OLDEST_NODE = '20.19.0';

/** The version that was found to be new enough: it is asked for by every agent and store, and compared as text. */
let supported: string | undefined;

/**
 * Refuses a Node that lacks what the code uses, by name, with `LOUSHO_CONFIG_INVALID`: it would fail later, in a place that tells
 * nothing. Other runtimes are taken as they are.
 */
export function assertSupportedRuntime(): void {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  const version = process?.versions?.node;
  if (version === undefined || version === supported) return;
  if (version.localeCompare(OLDEST_NODE, undefined, { numeric: true }) >= 0) {
    supported = version;
    return;
  }
  throw new ConfigurationError(`Expected Node ${OLDEST_NODE} or newer, got Node ${version}`, {
    field: 'node',
  });
}
