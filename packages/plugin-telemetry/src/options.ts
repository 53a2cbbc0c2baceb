import type { RunInfo } from '@shallot/core';
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
import type { AttributesOption, NamedAttributes } from './otel/run-attributes.ts';

/** The places where content is recorded. */
export type ContentOption = boolean | 'spans' | 'events' | 'both';

/** Options of the plugin: the records to make of each run. */
export interface TelemetryOptions {
  /**
   * Records messages, instructions, tool arguments and results: on spans (`true` or `spans`), in events of model calls,
   * or in both. Default: the value of `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`, or else false.
   */
  readonly content?: ContentOption;
  /**
   * Attributes of your own for all spans and events of a run. `user`, `session` (`true` for the session's id), `tenant` and
   * `tags` become the names that Langfuse and Phoenix group by. Default: none.
   */
  readonly attributes?: AttributesOption;
  /** Names of those attributes that metrics get, too. Each combination of values is a time series. Default: none. */
  readonly metricAttributes?: readonly string[];
  /** Records each pass through each tap of the other plugins: its own time and its changes. Default: false. */
  readonly insight?: boolean;
  /** Creates spans and metrics while an OpenTelemetry SDK is registered. Default: true. */
  readonly otel?: boolean;
  /** Puts the usage of a run's model calls on its span, too; set it to false for backends that add spans up. Default: true. */
  readonly usageOnRuns?: boolean;
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

/** The options with defaults. */
export interface Settings {
  readonly content?: ContentOption;
  readonly attributes?: AttributesOption;
  readonly metricAttributes: readonly string[];
  readonly insight: boolean;
  readonly otel: boolean;
  readonly usageOnRuns: boolean;
  readonly log: LogLevels | false;
  readonly trace?: string | TraceOptions;
  readonly prices?: PriceSource;
  readonly sinks: readonly Sink[];
}

const level = option.oneOf<LineLevel | false>(false, 'trace', 'debug', 'info', 'warn', 'error', 'fatal');
const traceFile = 'the path of a file; {sessionId} and {runId} in it stand for the ids';

/** The schema of the options, which is also available as JSON Schema for config files. */
export const telemetryOptions: StandardSchemaWithJson<TelemetryOptions, Settings> = optionsSchema({
  content: option
    .oneOf<ContentOption>(false, true, 'spans', 'events', 'both')
    .describe('Records messages, instructions, tool arguments and results in spans, events, or both.'),
  attributes: option
    .either(
      option.callback<(run: RunInfo) => NamedAttributes | undefined>(),
      option.record(
        option.either(option.text(), option.number(), option.boolean(), option.list(option.text())),
      ),
    )
    .describe('Attributes of your own for all spans; user, session, tenant and tags are known to backends.'),
  metricAttributes: option
    .list(option.text('a name of attributes', /\S/))
    .default([])
    .describe('Names of attributes that metrics get, too.'),
  insight: option
    .boolean()
    .default(false)
    .describe('Records each call of other plugins, with its own time and its changes.'),
  otel: option
    .boolean()
    .default(true)
    .describe('Creates spans and metrics while an OpenTelemetry SDK is registered.'),
  usageOnRuns: option
    .boolean()
    .default(true)
    .describe(
      "Puts the usage of a run's model calls on its span, too; false for backends that add spans up.",
    ),
  log: option
    .either(
      option.oneOf(false),
      option.object({
        runs: level.default('info').describe('The level of the lines about runs.'),
        steps: level.default('debug').describe('The level of the lines about steps.'),
        tools: level.default('info').describe('The level of the lines about tool calls.'),
      }),
    )
    .default({})
    .describe('The log levels for successes; failures are logged at warn, failed runs at error.'),
  trace: option
    .either(
      option.text(traceFile, /./),
      option.object({
        file: option
          .text(traceFile, /./)
          .required()
          .describe('The path of the file; {sessionId} and {runId} in it stand for the ids.'),
        content: option
          .boolean()
          .default(false)
          .describe('Writes messages, instructions, tool arguments and results.'),
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
