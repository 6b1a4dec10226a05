import type { Outcome, ParentObservation } from '@lousho/core';
import {
  type Attributes,
  context,
  type Link,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { errorType } from './error-type.js';
import { SpanObservation } from './span-observation.js';

/** How a span begins. */
export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly links?: readonly Link[];
  /** What the spans below have as well. */
  readonly inherited?: Attributes;
}

/** What has ended, as far as metrics are concerned. */
export interface Ended<Result> {
  readonly seconds: number;
  readonly result: Result;
  readonly observation: SpanObservation<Result>;
}

export interface SpansParts {
  readonly tracer: () => Tracer;
  readonly captureContent: boolean;
}

/** Begins and ends spans, each below its parent; without one, below the span that is active where the run was asked for. */
export class Spans {
  constructor(readonly parts: SpansParts) {}

  begin<Result extends Outcome>(
    start: SpanStart,
    parent: ParentObservation | undefined,
    endings: {
      /** What is known at the end. */
      readonly attributes?: (result: Result) => Attributes;
      readonly onEnd?: (ended: Ended<Result>) => void;
    } = {},
  ): SpanObservation<Result> {
    const above = parent instanceof SpanObservation ? parent : undefined;
    const around = above?.context ?? context.active();
    const inherited = { ...above?.inherited, ...start.inherited };
    const { name, kind, links = [] } = start;
    const attributes = { ...inherited, ...start.attributes };
    const span = this.parts.tracer().startSpan(name, { kind, attributes, links: [...links] }, around);
    const startedAt = performance.now();
    const observation = new SpanObservation<Result>(
      span,
      trace.setSpan(around, span),
      inherited,
      (result) => {
        span.setAttributes(endings.attributes?.(result) ?? {});
        if (result.error !== undefined) this.#fail(observation, result.error);
        endings.onEnd?.({ seconds: (performance.now() - startedAt) / 1_000, result, observation });
      },
    );
    return observation;
  }

  /** The text of an error may quote what was said. */
  #fail({ span }: SpanObservation<never>, error: unknown): void {
    const { captureContent } = this.parts;
    span.setAttribute('error.type', errorType(error));
    const message = error instanceof Error ? error.message : String(error);
    span.setStatus({ code: SpanStatusCode.ERROR, ...(captureContent && { message }) });
    if (captureContent) span.recordException(error instanceof Error ? error : message);
  }
}
