import { definePlugin } from '@shallot/core';
import {
  option,
  optionsSchema,
  type Shape,
  type ShapeOutput,
  type StandardSchemaWithJson,
} from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { circuitBreakerLayer, type CircuitBreakerOptions } from './circuit-breaker.ts';
import type { Layer } from './layer.ts';
import { modelFallbackLayer, type ModelFallbackOptions } from './model-fallback.ts';
import { modelRetryLayer, type ModelRetryOptions } from './model-retry.ts';
import { timeoutsLayer, type TimeoutOptions } from './timeouts.ts';
import { toolRetryLayer, type ToolRetryOptions } from './tool-retry.ts';

/** Options of the plugin: one member for each of its layers. */
export interface ResilienceOptions {
  /** Calls other models when the run's model fails. Default: off. */
  readonly modelFallback?: ModelFallbackOptions;
  /** Retries model calls after transient failures; `false` turns it off. Default: on. */
  readonly modelRetry?: ModelRetryOptions | false;
  /** Retries tool calls after transient failures. Default: off. */
  readonly toolRetry?: ToolRetryOptions;
  /** Stops calling a model or tool that keeps failing. Default: off. */
  readonly circuitBreaker?: CircuitBreakerOptions;
  /** Limits the time of model calls and tool executions. Default: off. */
  readonly timeouts?: TimeoutOptions;
}

const shape = {
  modelFallback: option.object(modelFallbackLayer.shape).describe("Asks other models when the run's fails."),
  modelRetry: option
    .either(option.oneOf(false), option.object(modelRetryLayer.shape))
    .default({})
    .describe('Retries model calls that failed for a time; false: does not.'),
  toolRetry: option.object(toolRetryLayer.shape).describe('Retries tool calls that failed for a time.'),
  circuitBreaker: option.object(circuitBreakerLayer.shape).describe('Does not call what keeps failing.'),
  timeouts: option.object(timeoutsLayer.shape).describe('Limits the time of model calls and tool calls.'),
};

/** Adds retries, fallback models, circuit breakers and time-outs: one config entry, one layer for each. */
export const resilience = definePlugin({
  name: 'resilience',
  version: manifest.version,
  api: manifest.shallot.api,
  priority: 36,
  options: optionsSchema(shape) satisfies StandardSchemaWithJson<ResilienceOptions>,
  async setup(plugin) {
    const { modelFallback, modelRetry, toolRetry, circuitBreaker, timeouts } = plugin.options;
    const add = <S extends Shape>(layer: Layer<S>, options: ShapeOutput<S>): void | Promise<void> =>
      layer.add(plugin, options, { name: layer.name, priority: layer.priority });
    if (modelFallback !== undefined) await add(modelFallbackLayer, modelFallback);
    if (modelRetry !== false) await add(modelRetryLayer, modelRetry);
    if (toolRetry !== undefined) await add(toolRetryLayer, toolRetry);
    if (circuitBreaker !== undefined) await add(circuitBreakerLayer, circuitBreaker);
    if (timeouts !== undefined) await add(timeoutsLayer, timeouts);
  },
});
