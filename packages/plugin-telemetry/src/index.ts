export type { LayerChanges } from './observe/changes.ts';
export type { LogLevels } from './lines/log-sink.ts';
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
} from './observe/activity.ts';
export type { AttributesOption, AttributeValue, NamedAttributes } from './otel/run-attributes.ts';
export type { ContentOption, TelemetryOptions } from './options.ts';
export { observeStore } from './otel/observe-store.ts';
export { telemetry, telemetry as default } from './telemetry.ts';
export type { TraceOptions } from './lines/trace-sink.ts';
