import { type AgentFingerprint, SDKError } from '../contract/index.js';
import type { Logger } from '../ports/index.js';
import { describeDrift, driftBetween } from '../run/fingerprint.js';
import type { RunEventBody, SubagentTag } from './events.js';

/** What has changed of one agent, to tell. `'error'` throws `LOUSHO_AGENT_DRIFT` instead. */
export function driftEvents(
  about: {
    readonly onAgentDrift: 'warn' | 'error' | 'ignore';
    readonly logger: Logger;
    readonly name: string;
    readonly subagent?: SubagentTag;
  },
  compared: { readonly stored: AgentFingerprint | undefined; readonly current: AgentFingerprint },
): readonly RunEventBody[] {
  if (about.onAgentDrift === 'ignore') return [];
  const drift = driftBetween(compared.stored, compared.current);
  if (!drift) return [];
  const text = `${about.name} has changed since the run began: ${describeDrift(drift)}`;
  if (about.onAgentDrift === 'error') throw new SDKError('LOUSHO_AGENT_DRIFT', text);
  about.logger.warn(`lousho: ${text}`);
  return [{ type: 'agent.drift', ...drift, ...(about.subagent && { subagent: about.subagent }) }];
}
