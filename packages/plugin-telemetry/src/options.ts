import {
  option,
  optionsSchema,
  pricesOption,
  type PriceSource,
  type StandardSchemaWithJson,
} from '@shallot/core/plugin';

import type { LineLevel, LogLevels } from './lines/log-sink.ts';
import type { TraceOptions } from './lines/trace-sink.ts';
import type { Sink } from './observe/activity.ts';

/** Options of the plugin: the records to make of each run. */
export interface TelemetryOptions {
  /**
   * Records messages, instructions, tool arguments and results on spans. Default: the value of
   * `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`, or else false.
   */
  readonly content?: boolean;
  /** Records each pass through each tap of the other plugins: its own time and its changes. Default: false. */
  readonly insight?: boolean;
  /** Creates spans and metrics while an OpenTelemetry SDK is registered. Default: true. */
  readonly otel?: boolean;
  /**
   * Log levels for runs, steps and tool calls that succeed; `false` logs none. Failures are `warn`, failed runs
   * `error`. Default: `{ runs: 'info', steps: 'debug', tools: 'info' }`.
   */
  readonly log?: false | Partial<LogLevels>;
  /**
   * Path of a JSON Lines file for each run, such as `.shallot/traces/{sessionId}-{runId}.jsonl`, or its settings.
   * Default: none.
   */
  readonly trace?: string | TraceOptions;
  /** Prices for trace files, by model id, or those of `@pydantic/genai-prices`. Default: none. */
  readonly prices?: PriceSource;
  /** Additional sinks. In code only. Default: none. */
  readonly sinks?: readonly Sink[];
}

/** The options as the plugin works with them. */
export interface Settings {
  readonly content?: boolean;
  readonly insight: boolean;
  readonly otel: boolean;
  readonly log: LogLevels | false;
  readonly trace?: string | TraceOptions;
  readonly prices?: PriceSource;
  readonly sinks: readonly Sink[];
}

const level = option.oneOf<LineLevel | false>(false, 'trace', 'debug', 'info', 'warn', 'error', 'fatal');
const traceFile = 'the path of a file; {sessionId} and {runId} in it stand for the ids';

/** The options' schema; also as JSON Schema, for what a config file can hold. */
export const telemetryOptions: StandardSchemaWithJson<TelemetryOptions, Settings> = optionsSchema({
  content: option.boolean().describe('Records messages, instructions, tool arguments and results in spans.'),
  insight: option
    .boolean()
    .default(false)
    .describe('Records each call of other plugins, with its own time and its changes.'),
  otel: option
    .boolean()
    .default(true)
    .describe('Creates spans and metrics while an OpenTelemetry SDK is registered.'),
  log: option
    .either(
      option.oneOf(false),
      option.object({
        runs: level.default('info'),
        steps: level.default('debug'),
        tools: level.default('info'),
      }),
    )
    .default({})
    .describe('The log levels for successes; failures are logged at warn, failed runs at error.'),
  trace: option
    .either(
      option.text(traceFile, /./),
      option.object({
        file: option.text(traceFile, /./).required(),
        content: option.boolean().default(false),
        opened: option.callback<(path: string) => void>(),
      }),
    )
    .describe('A file of JSON lines per run.'),
  prices: pricesOption.describe('US dollars per million tokens, by the id of the model; for trace files.'),
  sinks: option.code('in code a list of sinks', isSinks).default([]),
});

function isSinks(value: unknown): value is readonly Sink[] {
  return Array.isArray(value) && value.every(isSink);
}

function isSink(value: unknown): value is Sink {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'observe' in value &&
    typeof value.observe === 'function'
  );
}
