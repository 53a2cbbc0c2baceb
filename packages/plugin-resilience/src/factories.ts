import { definePlugin, type PluginFactory } from '@shallot/core';
import { optionsSchema, type Shape, type ShapeInput } from '@shallot/core/plugin';

import manifest from '../package.json' with { type: 'json' };
import { circuitBreakerLayer } from './circuit-breaker.ts';
import type { Layer } from './layer.ts';
import { modelFallbackLayer } from './model-fallback.ts';
import { modelRetryLayer } from './model-retry.ts';
import { timeoutsLayer } from './timeouts.ts';
import { toolRetryLayer } from './tool-retry.ts';

/** The layers as separate plugins, for use in code. */
export const modelFallback = pluginOf(modelFallbackLayer);
export const modelRetry = pluginOf(modelRetryLayer);
export const toolRetry = pluginOf(toolRetryLayer);
export const circuitBreaker = pluginOf(circuitBreakerLayer);
export const timeouts = pluginOf(timeoutsLayer);

function pluginOf<S extends Shape>({ name, priority, shape, add }: Layer<S>): PluginFactory<ShapeInput<S>> {
  return definePlugin({
    name,
    version: manifest.version,
    api: manifest.shallot.api,
    priority,
    options: optionsSchema(shape),
    // A config's priority replaces the plugin's, which one that taps set for themselves would hide.
    setup: (plugin) => add(plugin, plugin.options, { name }),
  });
}
