import type { Counter, Gauge, Histogram, Meter } from '@opentelemetry/api';

/** Of the conventions. */
const TOKENS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];
const OPERATION_SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
/** From memory to a service across an ocean. */
const SAVE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface Instruments {
  readonly operationDuration: Histogram;
  readonly tokenUsage: Histogram;
  readonly saveDuration: Histogram;
  readonly takeOvers: Counter;
  readonly refusals: Counter;
  readonly losses: Counter;
  readonly pending: Gauge;
}

export function instrumentsOf(meter: Meter): Instruments {
  return {
    operationDuration: meter.createHistogram('gen_ai.client.operation.duration', {
      description: 'GenAI operation duration.',
      unit: 's',
      advice: { explicitBucketBoundaries: OPERATION_SECONDS },
    }),
    tokenUsage: meter.createHistogram('gen_ai.client.token.usage', {
      description: 'Number of input and output tokens used.',
      unit: '{token}',
      advice: { explicitBucketBoundaries: TOKENS },
    }),
    saveDuration: meter.createHistogram('lousho.save.duration', {
      description: 'How long a checkpoint takes to be saved.',
      unit: 's',
      advice: { explicitBucketBoundaries: SAVE_SECONDS },
    }),
    takeOvers: meter.createCounter('lousho.run.take_overs', {
      description: 'Runs that went on here after whoever had them was gone.',
      unit: '{run}',
    }),
    refusals: meter.createCounter('lousho.lease.refusals', {
      description: 'Calls that were turned away because another holder runs their session.',
      unit: '{call}',
    }),
    losses: meter.createCounter('lousho.lease.losses', {
      description: 'Leases that runs of this process lost.',
      unit: '{lease}',
    }),
    pending: meter.createGauge('lousho.run.pending', {
      description: 'Unfinished runs in the store, as the last look of recover() found them.',
      unit: '{run}',
    }),
  };
}
