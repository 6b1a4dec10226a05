import type { AgentStore, Clock } from '@lousho/core/contract';
import type { SchedulingPoint } from '../reference/reference-parts.js';

/** A store that is simulated: how to get an empty storage of it, and clients on it. */
export interface SimulatedWorld {
  readonly name: string;
  /** How long past its expiry a lease is safe there. */
  readonly graceMs: number;
  /** Whether clients judge leases by clocks of their own. Without, all go by the one of the host that they share. */
  readonly hasOwnClocks: boolean;
  openStorage(options: SimulatedStorageOptions): SimulatedStorage;
}

export interface SimulatedStorageOptions {
  /** The host's. */
  readonly clock: Clock;
  readonly historyLimit: number;
  readonly graceMs: number;
}

export interface SimulatedStorage {
  client(seat: Seat): AgentStore;
}

/** Where a client sits: in one process of the simulation. */
export interface Seat {
  readonly clock: Clock;
  /** To be awaited wherever another process may come between. */
  readonly point: SchedulingPoint;
  readonly isDead: boolean;
  /** To be asked before a change that no point can come before: `true` when the process ends there, and makes at most half of it. */
  readonly dies: (name: string) => boolean;
}
