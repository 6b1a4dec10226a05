import type { Observation } from '@lousho/core';
import { type Attributes, type Context, context, type Span } from '@opentelemetry/api';
import { traceparentOf } from './traceparent.js';

/** A span that has begun, and the context that is active in it. */
export class SpanObservation<in Result> implements Observation<Result> {
  constructor(
    readonly span: Span,
    readonly context: Context,
    /** What the spans below have as well. */
    readonly inherited: Attributes,
    readonly ending: (result: Result) => void,
  ) {}

  get traceparent(): string | undefined {
    return traceparentOf(this.span.spanContext());
  }

  within<T>(work: () => T): T {
    return context.with(this.context, work);
  }

  end(result: Result): void {
    try {
      this.ending(result);
    } finally {
      this.span.end();
    }
  }
}
