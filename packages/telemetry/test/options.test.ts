import { createAgent, type LLMProvider } from '@lousho/core';
import { mockModel } from '@lousho/core/testing';
import { telemetry } from '@lousho/telemetry';
import { metrics, trace } from '@opentelemetry/api';
import {
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import { collected } from './support/collected.js';

describe('the options of telemetry()', () => {
  it.each<[object, string]>([
    [{ capturecontent: true }, 'one of the options tracer, meter, captureContent'],
    [{ captureContent: 'yes' }, '`captureContent` to be a boolean, got `yes`'],
    [{ tracer: {} }, '`tracer` to be a tracer of OpenTelemetry'],
    [{ meter: null }, '`meter` to be a meter of OpenTelemetry'],
  ])('%j is refused', (options, says) => {
    expect(() => telemetry(options)).toThrow(
      expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID', message: expect.stringContaining(says) }),
    );
  });

  it.each<[unknown, string]>([
    ['yes', '`observer` to be an observer'],
    [{ run: true }, '`observer.run` to be a function'],
    [{ onRun: () => undefined }, '`observer` to be an object with one of the methods run, step'],
  ])('an agent refuses the observer %j', (observer, says) => {
    expect(() => createAgent({ provider: mockModel([]), observer: observer as never })).toThrow(
      expect.objectContaining({ code: 'LOUSHO_CONFIG_INVALID', message: expect.stringContaining(says) }),
    );
  });
});

describe('without a tracer and a meter', () => {
  afterEach(() => {
    trace.disable();
    metrics.disable();
  });

  it('the global ones are used, also those that are registered behind the agent', async () => {
    const agent = createAgent({ provider: mockModel(['Hi']), observer: telemetry() });
    const spans = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(
      new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
    );
    const measured = new InMemoryMetricExporter(1);
    const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 1_000_000 });
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
    await agent.send('Go');
    await reader.forceFlush();
    const [span] = spans.getFinishedSpans();
    expect(span?.instrumentationScope.name).toBe('@lousho/telemetry');
    const [metric] = measured.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    expect(metric?.scope.name).toBe('@lousho/telemetry');
  });

  it('and without a provider, a run is as it was', async () => {
    const agent = createAgent({ provider: mockModel(['Hi']), observer: telemetry() });
    expect(await agent.send('Go')).toMatchObject({ text: 'Hi', finishReason: 'stop' });
  });
});

describe('the name of a provider', () => {
  it.each([
    ['openai.responses', 'openai'],
    ['anthropic.messages', 'anthropic'],
    ['google.generative-ai', 'gcp.gemini'],
    ['google.vertex.chat', 'gcp.vertex_ai'],
    ['amazon-bedrock', 'aws.bedrock'],
    ['azure-openai.chat', 'azure.ai.openai'],
    ['openaiish', 'openaiish'],
    ['vendor.chat', 'vendor.chat'],
  ])('%s is %s', async (name, conventional) => {
    const { observer, span } = collected();
    const provider: LLMProvider = { ...mockModel(['Hi']), name };
    await createAgent({ provider, observer }).send('Go');
    expect(span('chat').attributes['gen_ai.provider.name']).toBe(conventional);
  });
});
