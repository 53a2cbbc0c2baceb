import type { RunInfo, ToolCall, ToolResult } from '@shallot/core';
import {
  fitsPattern,
  isTransient,
  option,
  type ReadyAgent,
  type ToolNext,
  type ToolScope,
} from '@shallot/core/plugin';

import { backOffShape, delayAfter, waitFor, type BackOff, type BackOffOptions } from './back-off.ts';
import { checkToolsOf } from './check-tools-of.ts';
import { leavesCircuitOpen } from './circuit-open.ts';
import { defineLayer } from './layer.ts';
import { timeLeftFor } from './time-left.ts';
import { toolEffects, type ToolEffects } from './tool-effects.ts';

/** Outcome of an attempt of a tool call: its result and, if the tool failed, what it threw. */
export interface ToolRetryOutcome {
  readonly call: ToolCall;
  readonly result: ToolResult;
  readonly error?: unknown;
}

/** Options of the retries of tool calls. */
export interface ToolRetryOptions extends BackOffOptions {
  /** Tools to retry, by name or pattern. Default: those with the effect `read` or `idempotent` that run no other agents. */
  readonly tools?: readonly string[];
  /**
   * Returns whether to retry a call of one of these tools; `undefined` keeps the default, which retries transient
   * errors. A denied call is never retried. In code only.
   */
  readonly when?: (
    outcome: ToolRetryOutcome,
    run: RunInfo,
  ) => boolean | undefined | Promise<boolean | undefined>;
}

interface Settings extends BackOff {
  readonly tools?: readonly string[];
  readonly when?: ToolRetryOptions['when'];
  readonly timeLeft: ReadyAgent['timeLeft'];
}

export const toolRetryLayer = defineLayer({
  name: 'tool-retry',
  priority: 36,
  shape: {
    ...backOffShape,
    tools: option
      .list(option.text("a tool's name or pattern", /./))
      .describe('Tools to retry, by name or pattern. Default: those with the effect read or idempotent.'),
    when: option.callback<NonNullable<ToolRetryOptions['when']>>(),
  },
  add(plugin, options, tap) {
    const settings = { ...options, timeLeft: timeLeftFor(plugin) };
    const effects = toolEffects(plugin);
    checkToolsOf(plugin, settings.tools ?? [], 'toolRetry');
    plugin.hooks.wrapToolCall.tap(tap, (call, next, scope) =>
      mayRetry(call.name, settings, effects) ? retryTool(call, next, scope, settings) : next(call),
    );
  },
});

function mayRetry(name: string, { tools }: Settings, effects: ToolEffects): boolean {
  if (tools !== undefined) return tools.some((pattern) => fitsPattern(pattern, name));
  return effects.of(name) !== 'write' && !effects.runsAgents(name);
}

async function retryTool(
  call: ToolCall,
  next: ToolNext,
  scope: ToolScope,
  settings: Settings,
): Promise<ToolResult> {
  const { run, signal } = scope;
  for (let attempt = 1; ; attempt += 1) {
    const result = await next(call);
    const isOver = leavesCircuitOpen(call, result.error);
    const delay =
      !isOver && (await isRetried({ call, result, error: result.error }, scope, settings))
        ? delayAfter(attempt, result.error, settings, settings.timeLeft(run))
        : undefined;
    if (delay === undefined) return result;
    const retry = { attempt, delayMs: Math.round(delay), tool: call.name };
    run.log.warn({ event: 'retry', ...retry }, `tool call is retried`);
    run.event('retry', retry);
    await waitFor(delay, signal);
  }
}

async function isRetried(
  outcome: ToolRetryOutcome,
  scope: ToolScope,
  { when }: Pick<Settings, 'when'>,
): Promise<boolean> {
  const { isError, denied } = outcome.result;
  // A denied call would be denied again.
  if (denied !== undefined) return false;
  if (when !== undefined) {
    const answer: unknown = await scope.inTime('when', () => when(outcome, scope.run));
    if (typeof answer === 'boolean') return answer;
  }
  return isError === true && isTransient(outcome.error);
}
