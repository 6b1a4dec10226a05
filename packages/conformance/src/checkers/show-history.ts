import type { History, Operation, RecordedCall } from './recorded-call.js';

/** A history as a person reads it: one call a line, in the order of the calls. */
export function showHistory({ calls, graceMs, skewMs }: History): string {
  const ordered = [...calls].sort((a, b) => a.calledAt - b.calledAt);
  const width = Math.max(0, ...ordered.map(({ client }) => client.length));
  const lines = ordered.map((call) => `${span(call)} ${call.client.padEnd(width)} ${shown(call.operation)}`);
  const skew = skewMs > 0 ? `, clocks off by at most ${skewMs} ms` : '';
  return [`grace ${graceMs} ms${skew}`, ...lines].join('\n');
}

function span({ calledAt, returnedAt, calledMs, returnedMs }: RecordedCall): string {
  const order = `${calledAt}-${Number.isFinite(returnedAt) ? returnedAt : ''}`.padEnd(10);
  return `${order} ${seconds(calledMs)}-${Number.isFinite(returnedMs) ? seconds(returnedMs) : ''.padStart(9)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)}s`.padStart(9);
}

function shown(operation: Operation): string {
  const { kind, answer } = operation;
  switch (kind) {
    case 'acquire':
    case 'renew':
      return `${kind} by ${operation.owner} for ${operation.ttlMs} ms -> ${answer}`;
    case 'release':
      return `release by ${operation.owner} -> ${answer}`;
    case 'save':
      return `save of ${operation.value}${operation.owner ? ` by ${operation.owner}` : ''} -> ${answer}`;
    case 'load':
    case 'delete':
      return `${kind} -> ${answer}`;
    default:
      return operation satisfies never;
  }
}
