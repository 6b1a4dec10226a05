import type { Observer } from '@lousho/core';
import { telemetry } from '@lousho/telemetry';
import { context, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  type DataPoint,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace-base';

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

/** What the SDK of OpenTelemetry has recorded. */
export interface Collected {
  readonly observer: Observer;
  /** For spans of the application itself. */
  readonly tracer: Tracer;
  /** In the order in which they began. */
  readonly spans: readonly ReadableSpan[];
  /** The only span of the name. */
  span(name: string): ReadableSpan;
  /** The names of all spans that have ended, each below its parent. */
  tree(): string;
  /** The points of a metric: attributes and value, of a histogram its count and sum. */
  points(metric: string): Promise<readonly Point[]>;
}

interface Point {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: number | { readonly count: number; readonly sum: number };
}

export function collected(options: { readonly captureContent?: boolean } = {}): Collected {
  const spans: ReadableSpan[] = [];
  const processor: SpanProcessor = {
    onStart: (span) => void spans.push(span),
    onEnd: () => undefined,
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const tracer = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer('test');
  const exporter = new InMemoryMetricExporter(1);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1_000_000 });
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test');
  return {
    observer: telemetry({ tracer, meter, ...options }),
    tracer,
    spans,
    span: (name) => {
      const [found, ...more] = spans.filter((span) => span.name === name);
      if (!found || more.length > 0) throw new Error(`${found ? 'more than one' : 'no'} span ${name}`);
      return found;
    },
    tree: () => treeOf(spans),
    points: async (metric) => {
      exporter.reset();
      await reader.forceFlush();
      const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
      const found = all
        .flatMap(({ metrics }) => metrics)
        .find(({ descriptor }) => descriptor.name === metric);
      const points = (found?.dataPoints ?? []) as readonly DataPoint<number | Histogram>[];
      return points.map(({ attributes, value }) => ({
        attributes,
        value: typeof value === 'number' ? value : { count: value.count, sum: value.sum ?? 0 },
      }));
    },
  };
}

function treeOf(spans: readonly ReadableSpan[]): string {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const below = (parent: string | undefined, indent: string): readonly string[] =>
    spans
      .filter((span) => span.ended && parentOf(span, ids) === parent)
      .flatMap((span) => [`${indent}${span.name}`, ...below(span.spanContext().spanId, `${indent}  `)]);
  return below(undefined, '').join('\n');
}

function parentOf({ parentSpanContext }: ReadableSpan, known: ReadonlySet<string>): string | undefined {
  return parentSpanContext && known.has(parentSpanContext.spanId) ? parentSpanContext.spanId : undefined;
}
