import { option, optionsSchema, type PluginDefinition } from '@shallot/core';

import type { Sink } from './observation.ts';

export interface TelemetryOptions {
  /** Further sinks, beside those that the other options turn on. In code only. Default: none. */
  readonly sinks?: readonly Sink[];
}

/** The options as the plugin works with them. */
export interface TelemetrySettings {
  readonly sinks: readonly Sink[];
}

/** The options' schema; also as JSON Schema, for what a config file can hold. */
export const telemetryOptions: NonNullable<PluginDefinition<TelemetrySettings, TelemetryOptions>['options']> =
  optionsSchema({
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
