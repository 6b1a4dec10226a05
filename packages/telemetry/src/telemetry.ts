import type { Observer } from '@lousho/core';
import { metrics, trace } from '@opentelemetry/api';
import { modelCallEnd, modelCallSpan, toolCallEnd, toolCallSpan } from './call-spans.js';
import { type Instruments, instrumentsOf } from './instruments.js';
import { measureModelCall, measureSave } from './measure.js';
import { note } from './note.js';
import { saveSpan, stepSpan } from './own-spans.js';
import { isTakeOver, runEnd, runSpan } from './run-span.js';
import { Spans } from './spans.js';
import { assertTelemetryOptions, type TelemetryOptions } from './telemetry-options.js';

const NAME = '@lousho/telemetry';

/**
 * The observer of an agent that makes spans and metrics of what its runs do, under the names of OpenTelemetry's conventions for
 * generative AI. One may be given to any number of agents. Refuses wrong options with `LOUSHO_CONFIG_INVALID`.
 */
export function telemetry(options: TelemetryOptions = {}): Observer {
  assertTelemetryOptions(options);
  const content = { captureContent: options.captureContent ?? false };
  const spans = new Spans({ tracer: () => options.tracer ?? trace.getTracer(NAME), ...content });
  let made: Instruments | undefined;
  // Made late: before there is a provider, the API gives a meter that stays silent for ever.
  const instruments = () => {
    made ??= instrumentsOf(options.meter ?? metrics.getMeter(NAME));
    return made;
  };

  return {
    run: (run, parent) => {
      if (isTakeOver(run)) instruments().takeOvers.add(1, { 'gen_ai.agent.name': run.agentName });
      return spans.begin(runSpan(run), parent, { attributes: (result) => runEnd(run, result) });
    },
    step: (step, parent) => spans.begin(stepSpan(step), parent),
    modelCall: (call, parent) =>
      spans.begin(modelCallSpan(call, content), parent, {
        attributes: (result) => modelCallEnd(result, content),
        onEnd: (ended) => measureModelCall(instruments(), call, ended),
      }),
    toolCall: (call, parent) =>
      spans.begin(toolCallSpan(call, content), parent, {
        attributes: (result) => toolCallEnd(result, content),
      }),
    save: (save, parent) =>
      spans.begin(saveSpan(save), parent, { onEnd: (ended) => measureSave(instruments(), ended) }),
    note: (occurrence, parent) => note(instruments(), occurrence, parent),
  };
}
