import { ShallotError, type ToolCall, type ToolResult } from '@shallot/core';
import type { ModelRequest, ModelResponse } from '@shallot/core/model';
import { fitsPattern, option, textPart, type ModelNext, type ToolNext } from '@shallot/core/plugin';

import { checkToolsOf } from './check-tools-of.ts';
import { defineLayer } from './layer.ts';
import { toolEffects } from './tool-effects.ts';

/** Options of the time limits. */
export interface TimeoutOptions {
  /** Milliseconds for each attempt of a model call. Default: only the agent's `modelTimeoutMs` and `modelIdleMs`. */
  readonly modelMs?: number;
  /** Milliseconds for each execution of a tool that runs no other agents, not counting approvals. Default: no limit. */
  readonly toolMs?: number;
  /** Milliseconds for each execution of single tools, by name or pattern. Default: none. */
  readonly tools?: Readonly<Record<string, number>>;
}

const duration = option.number({ above: 0, max: 3_600_000 });

export const timeoutsLayer = defineLayer({
  name: 'timeouts',
  priority: 33,
  shape: {
    modelMs: duration.describe('Milliseconds for each attempt of a model call.'),
    toolMs: duration.describe(
      'Milliseconds for each execution of a tool that runs no other agents, not counting approvals.',
    ),
    tools: option
      .record(duration)
      .default({})
      .describe('Milliseconds for each execution of single tools, by name or pattern.'),
  },
  add(plugin, { modelMs, toolMs, tools }, tap) {
    const { hooks } = plugin;
    checkToolsOf(plugin, Object.keys(tools), 'timeouts');
    if (modelMs !== undefined) {
      hooks.wrapModelCall.tap({ ...tap, internal: true }, (request, next) =>
        limitModel(request, next, modelMs),
      );
    }
    const limits = Object.entries(tools);
    if (toolMs === undefined && limits.length === 0) return;
    const effects = toolEffects(plugin);
    // The innermost gate, so that neither the time of other gates nor that of a person who is asked counts.
    hooks.wrapToolCall.tap({ name: 'timeouts', gate: true, tree: false, priority: 0 }, (call, next) => {
      const general = effects.runsAgents(call.name) ? undefined : toolMs;
      const [, ms = general] = limits.find(([pattern]) => fitsPattern(pattern, call.name)) ?? [];
      return ms === undefined ? next(call) : limitTool(call, next, ms);
    });
  },
});

function limitModel(request: ModelRequest, next: ModelNext, ms: number): Promise<ModelResponse> {
  const error = new ShallotError('resilience/MODEL_TIMEOUT', {
    message: `The model ${request.model.id} did not answer within ${ms} ms. Raise modelMs, or ask for less.`,
    transient: true,
  });
  return within(ms, error, (signal) => next(request, { signal }));
}

async function limitTool(call: ToolCall, next: ToolNext, ms: number): Promise<ToolResult> {
  const error = new ShallotError('resilience/TOOL_TIMEOUT', {
    message: `The tool ${call.name} did not end within ${ms} ms.`,
    transient: true,
  });
  try {
    return await within(ms, error, (signal) => next(call, { signal }));
  } catch (thrown) {
    if (thrown !== error) throw thrown;
    return { content: [textPart(error.message)], isError: true, error };
  }
}

/** Returns the result of `act`. After the time limit, aborts `act` and rejects with the error. */
async function within<T>(ms: number, error: Error, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(error);
    controller.abort(error);
  }, ms);
  try {
    return await Promise.race([act(controller.signal), promise]);
  } finally {
    clearTimeout(timer);
  }
}
