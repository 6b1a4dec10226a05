import type { ModelRequest, ToolContext } from '@lousho/core';
import { EffectLedger } from '@lousho/core/testing';
import type { Journal } from './journal.js';
import type { LeaseBelief } from './lease-belief.js';
import type { ToolName } from './script.js';

export interface EffectOptions {
  readonly journal: Journal;
  /** Clocks are so far apart that a lease may end before its holder can know: then only the fence protects. */
  readonly areLeasesShort: boolean;
}

/** All that the runs did to the world, and what they must never do to it. */
export class Effects {
  readonly #ledgers = new Map<string, EffectLedger>();
  readonly #starts = new Map<string, number>();
  modelCalls = 0;
  toolCalls = 0;

  constructor(readonly options: EffectOptions) {}

  readonly ledgerOf = (sessionId: string): EffectLedger => {
    const known = this.#ledgers.get(sessionId);
    if (known) return known;
    const ledger = new EffectLedger();
    this.#ledgers.set(sessionId, ledger);
    return ledger;
  };

  modelAsked(client: string, belief: LeaseBelief, { sessionId = '', messages }: ModelRequest): void {
    const { journal, areLeasesShort } = this.options;
    this.modelCalls += 1;
    this.#assertLeased(client, belief, sessionId, 'asked the model');
    const ledger = this.ledgerOf(sessionId);
    const before = ledger.repeatedModelCalls;
    ledger.noteModelCall(messages);
    for (const fault of ledger.invalidRequests.splice(0))
      journal.violate(`${client}: invalid request: ${fault}`);
    if (!areLeasesShort && ledger.repeatedModelCalls > before) {
      journal.violate(`${client}: ${sessionId} asked the model for an answer that is stored`);
    }
  }

  toolStarted(client: string, belief: LeaseBelief, name: ToolName, context: ToolContext): void {
    const { sessionId = '', toolCallId, messages, approval } = context;
    const { journal, areLeasesShort } = this.options;
    this.toolCalls += 1;
    this.#assertLeased(client, belief, sessionId, `started ${name}`);
    const call = `${sessionId} ${toolCallId}`;
    const ledger = this.ledgerOf(sessionId);
    const before = ledger.repeatedTools;
    ledger.noteToolCall(messages, toolCallId);
    if (ledger.repeatedTools > before && (name !== 'look' || !areLeasesShort)) {
      journal.violate(`${client}: ${call} (${name}) was started although its result is stored`);
    }
    const starts = (this.#starts.get(call) ?? 0) + 1;
    this.#starts.set(call, starts);
    if (name !== 'look' && starts > 1)
      journal.violate(`${client}: ${call} (${name}) was started ${starts} times`);
    if (name === 'refund' && !(approval && journal.approved.has(approval.id))) {
      journal.violate(`${client}: ${call} (${name}) was started without an approval`);
    }
  }

  #assertLeased(client: string, belief: LeaseBelief, sessionId: string, did: string): void {
    const reason = belief.reasonAgainst(sessionId);
    if (reason) this.options.journal.violate(`${client}: ${sessionId} ${did}, and ${reason}`);
  }
}
