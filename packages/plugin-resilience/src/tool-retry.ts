import type { ToolCall, ToolResult } from '@shallot/core';
import { fitsPattern, isTransient, option, type ToolNext, type ToolScope } from '@shallot/core/plugin';

import { backOffShape, delayAfter, waitFor, type BackOff, type BackOffOptions } from './back-off.ts';
import { checkToolsOf } from './check-tools-of.ts';
import { defineLayer } from './layer.ts';
import { toolEffects, type ToolEffects } from './tool-effects.ts';

export interface ToolRetryOptions extends BackOffOptions {
  /** Tools to retry, by name or pattern. Default: those with the effect `read` or `idempotent`. */
  readonly tools?: readonly string[];
}

interface Settings extends BackOff {
  readonly tools?: readonly string[];
}

export const toolRetryLayer = defineLayer({
  name: 'tool-retry',
  priority: 36,
  shape: {
    ...backOffShape,
    tools: option
      .list(option.text("a tool's name or pattern", /./))
      .describe('Tools to retry, by name or pattern. Default: those with the effect read or idempotent.'),
  },
  add(plugin, settings, tap) {
    const effects = toolEffects(plugin);
    checkToolsOf(plugin, settings.tools ?? [], 'toolRetry');
    plugin.hooks.wrapToolCall.tap(tap, (call, next, scope) =>
      mayRetry(call.name, settings, effects) ? retryTool(call, next, scope, settings) : next(call),
    );
  },
});

function mayRetry(name: string, { tools }: Settings, effects: ToolEffects): boolean {
  if (tools !== undefined) return tools.some((pattern) => fitsPattern(pattern, name));
  return effects.of(name) !== 'write';
}

async function retryTool(
  call: ToolCall,
  next: ToolNext,
  { run, signal }: ToolScope,
  settings: Settings,
): Promise<ToolResult> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await next(call);
    // What was denied is denied again, and what is not transient fails again.
    if (result.isError !== true || result.denied !== undefined || !isTransient(result.error)) return result;
    const delay = delayAfter(attempt, result.error, settings);
    if (delay === undefined) return result;
    run.log.warn({ attempt, delayMs: Math.round(delay), tool: call.name }, `tool call is retried`);
    run.event('retry', { attempt, delayMs: Math.round(delay), tool: call.name });
    await waitFor(delay, signal);
  }
}
