import type { CheckpointStore } from '@lousho/core/contract';

/** Heartbeats come when their time has come: counted, they would move the points behind them, by another number in each run. */
export function withOwnHeartbeat(watched: CheckpointStore, own: CheckpointStore): CheckpointStore {
  return new Proxy(watched, {
    get: (target, key) =>
      key === 'renewLease' || key === 'renewLeases' ? own[key]?.bind(own) : Reflect.get(target, key),
  });
}
