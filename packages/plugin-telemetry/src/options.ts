import { option, optionsSchema, type PluginDefinition } from '@shallot/core';

import type { Sink } from './observation.ts';

export interface TelemetryOptions {
  /**
   * Records messages, instructions, tool arguments and results on spans. Default: what
   * `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` says, or else false.
   */
  readonly content?: boolean;
  /** Shows each passage through each tap of the other plugins: its own time, and what it changed. Default: false. */
  readonly insight?: boolean;
  /** Further sinks, beside those that the other options turn on. In code only. Default: none. */
  readonly sinks?: readonly Sink[];
}

/** The options as the plugin works with them. */
export interface TelemetrySettings {
  readonly content?: boolean;
  readonly insight: boolean;
  readonly sinks: readonly Sink[];
}

/** The options' schema; also as JSON Schema, for what a config file can hold. */
export const telemetryOptions: NonNullable<PluginDefinition<TelemetrySettings, TelemetryOptions>['options']> =
  optionsSchema({
    content: option
      .boolean()
      .describe('Whether messages, instructions, tool arguments and results are recorded on spans.'),
    insight: option
      .boolean()
      .default(false)
      .describe('Whether each passage through each plugin is shown: its own time, and what it changed.'),
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
