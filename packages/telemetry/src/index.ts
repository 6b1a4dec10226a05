export { telemetry } from './telemetry.js';
export type { TelemetryOptions } from './telemetry-options.js';
