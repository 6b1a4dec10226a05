import type { AgentStore } from '@lousho/core/contract';
import type { Method } from '../../model/needs.js';
import type { Client } from '../../world/client.js';

/** What a process does in a storage while it is killed, cut off or refused: short, and safe to begin again from any point. */
export interface Flow {
  /** `F1`. */
  readonly name: string;
  readonly says: string;
  readonly needs: readonly Method[];
  /** The id whose lease the flow takes, if it takes one. */
  readonly leases?: string;
  /** Loads what no other flow needs, before a tracer may come: to load modules is thousands of calls. */
  load?(): Promise<unknown>;
  /** Brings about what must be there before; its process has ended when the flow begins. */
  prepare?(actor: FlowActor): Promise<void>;
  run(actor: FlowActor): Promise<void>;
}

export interface FlowActor extends Pick<Client, 'checkpoints' | 'approvals' | 'sessions'> {
  /** For those who make an agent of their own over it. */
  readonly store: AgentStore;
  /** Another one for each process. */
  readonly owner: string;
  /** Notes something outside the storage that cannot be taken back. */
  effect(name: string): void;
  note(text: string): void;
  /** Holds the event loop up until somebody outside says so. */
  block(): void;
}

/** The id that a flow is about. */
export const RUN_ID = 'refund-42';
/** An id whose live holder and records no flow may touch. */
export const BYSTANDER = 'refund-7';
/** Long enough that nothing expires by itself. */
export const LONG_TTL = 3_600_000;
