import { expected } from '@lousho/core';
import type { Meter, Tracer } from '@opentelemetry/api';

export interface TelemetryOptions {
  /** Default: the tracer `@lousho/telemetry` of the global provider. */
  readonly tracer?: Tracer;
  /** Default: the meter `@lousho/telemetry` of the global provider, as it is when the first thing happens. */
  readonly meter?: Meter;
  /**
   * Puts what was said on the spans: messages, instructions, arguments and results of tools, the texts of errors. Default `false`:
   * nothing of it leaves the process.
   */
  readonly captureContent?: boolean;
}

const OPTIONS = ['tracer', 'meter', 'captureContent'] as const satisfies readonly (keyof TelemetryOptions)[];

/** Refuses wrong options, with `LOUSHO_CONFIG_INVALID`. */
export function assertTelemetryOptions(options: TelemetryOptions): void {
  if (typeof options !== 'object' || options === null)
    throw expected('telemetry()', 'an object of options', options);
  for (const option of Object.keys(options)) {
    if (!(OPTIONS as readonly string[]).includes(option))
      throw expected('telemetry()', `one of the options ${OPTIONS.join(', ')}`, option);
  }
  const { tracer, meter, captureContent } = options;
  if (tracer !== undefined && typeof tracer?.startSpan !== 'function')
    throw expected('tracer', 'a tracer of OpenTelemetry', tracer);
  if (meter !== undefined && typeof meter?.createHistogram !== 'function')
    throw expected('meter', 'a meter of OpenTelemetry', meter);
  if (captureContent !== undefined && typeof captureContent !== 'boolean')
    throw expected('captureContent', 'a boolean', captureContent);
}
