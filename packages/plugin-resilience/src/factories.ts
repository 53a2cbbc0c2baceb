import { definePlugin, type PluginFactory } from '@shallot/core';
import { optionsSchema, type Shape, type ShapeInput } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { circuitBreakerLayer } from './circuit-breaker.ts';
import type { Layer } from './layer.ts';
import { modelFallbackLayer } from './model-fallback.ts';
import { modelRetryLayer } from './model-retry.ts';
import { timeoutsLayer } from './timeouts.ts';
import { toolRetryLayer } from './tool-retry.ts';

/** Creates a plugin that calls other models when the run's model fails. Default priority: 38. */
export const modelFallback = pluginOf(modelFallbackLayer);
/** Creates a plugin that retries model calls after transient failures. Default priority: 36. */
export const modelRetry = pluginOf(modelRetryLayer);
/** Creates a plugin that retries tool calls after transient failures. Default priority: 36. */
export const toolRetry = pluginOf(toolRetryLayer);
/** Creates a plugin that stops calling a model or tool that keeps failing. Default priority: 34. */
export const circuitBreaker = pluginOf(circuitBreakerLayer);
/** Creates a plugin that limits the time of model calls and tool executions. Default priority: 33. */
export const timeouts = pluginOf(timeoutsLayer);

function pluginOf<S extends Shape>({ name, priority, shape, add }: Layer<S>): PluginFactory<ShapeInput<S>> {
  return definePlugin({
    name,
    version: manifest.version,
    api: manifest.shallot.api,
    priority,
    options: optionsSchema(shape),
    // The taps get no priority of their own, because it would hide the one that a config sets for the plugin.
    setup: (plugin) => add(plugin, plugin.options, { name }),
  });
}
