export type { LayerChanges } from './changes.ts';
export type { LogLevels } from './log-sink.ts';
export type {
  Activity,
  LayerActivity,
  ModelActivity,
  Note,
  RunActivity,
  RunSink,
  Sink,
  SpanReference,
  StepActivity,
  ToolActivity,
} from './activity.ts';
export type { TelemetryOptions } from './options.ts';
export { telemetry, telemetry as default } from './telemetry.ts';
export type { TraceOptions } from './trace-sink.ts';
