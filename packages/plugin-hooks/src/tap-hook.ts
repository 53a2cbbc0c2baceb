import type { Hooks, PluginState } from '@shallot/core/plugin';

import type { Hook } from './hook.ts';
import { afterTool } from './places/after-tool.ts';
import { beginWithHook } from './places/begin-with-hook.ts';
import { checkPrompt } from './places/check-prompt.ts';
import { warnOfFailure } from './places/said.ts';
import { stopWithHook, type AgainState } from './places/stop-with-hook.ts';
import { executedCall, throughHook, type GateParts } from './places/through-hook.ts';
import type { Calls } from './words/calls.ts';

/**
 * A place outside of approvals, so that nobody is asked about a call that a hook blocks, but inside the permissions
 * that deny calls.
 */
const gatePriority = 68;

/** The parts that the taps of all hooks share. */
export interface TapParts extends GateParts {
  readonly calls: Calls;
  readonly again: AgainState;
  /** The run with which a session began. */
  readonly started: PluginState<{ readonly by: string }>;
}

/** Gives a hook a tap of its own, at the place of its event. */
export function tapHook(hook: Hook, hooks: Hooks, parts: TapParts): void {
  const { calls, runs, again, started } = parts;
  const name = hook.label;
  switch (hook.event) {
    case 'PreToolUse':
      hooks.wrapToolCall.tapPromise({ name, gate: true, priority: gatePriority }, async (call, next, scope) =>
        (await calls.isAbout(hook, call, scope)) ? throughHook(hook, call, next, scope, parts) : next(call),
      );
      return;
    case 'PostToolUse':
    case 'PostToolUseFailure':
      hooks.wrapToolCall.tapPromise({ name, tree: true }, async (call, next, scope) => {
        const result = await next(call);
        const executed = executedCall(call, result, parts.id);
        return (await calls.isAbout(hook, executed, scope))
          ? afterTool(hook, executed, result, scope, runs)
          : result;
      });
      return;
    case 'UserPromptSubmit':
      hooks.beforeAgent.tapPromise({ name, input: true }, (messages, context) =>
        checkPrompt(hook, messages, context, runs),
      );
      return;
    case 'SessionStart':
      hooks.beforeAgent.tapPromise({ name }, async (run) => {
        if (run.parent !== undefined) return;
        if (started.get(run).by === '') started.set(run, { by: run.id });
        if (started.get(run).by === run.id) await beginWithHook(hook, { source: 'startup' }, run, runs);
      });
      return;
    case 'SubagentStart':
      hooks.beforeAgent.tapPromise({ name, tree: true }, async (run) => {
        if (run.parent !== undefined) await beginWithHook(hook, {}, run, runs);
      });
      return;
    case 'Stop':
      hooks.afterModel.tapPromise({ name }, async (response, run) => {
        if (run.parent === undefined) await stopWithHook(hook, response, run, { runs, again });
      });
      return;
    case 'SubagentStop':
      hooks.afterModel.tapPromise({ name, tree: true }, async (response, run) => {
        if (run.parent !== undefined) await stopWithHook(hook, response, run, { runs, again });
      });
      return;
    case 'PreCompact':
      hooks.wrapModelCall.tapPromise({ name, internal: true, tree: true }, async (request, next, scope) => {
        const { origin, run, signal } = scope;
        if (origin?.purpose === 'summarization') {
          const fields = { trigger: 'auto', custom_instructions: '' };
          const outcome = await runs.call(hook, fields, run, signal);
          if (outcome.is === 'failed') warnOfFailure(hook, outcome.reason, run);
        }
        return next(request);
      });
  }
}
